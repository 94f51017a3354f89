/**
 * Forwards requests to one API of a server. The suites of client libraries often address the auth server or PostgREST itself, at a fixed port and
 * without the path of the API.
 */
import { createServer, request } from 'node:http'

const MAX_IDLE_MILLISECONDS = 5 * 60_000

/**
 * @param {number} port the port that the suite uses
 * @param {string} target URL of the API, with its path
 * @param {Record<string, string>} headers headers that are added to each request
 * @param {() => void} onRequest called with each request
 */
export async function gateway(port, target, headers = {}, onRequest = () => undefined) {
  const { hostname, port: at, pathname } = new URL(target)
  const base = pathname === '/' ? '' : pathname
  const server = createServer((incoming, outgoing) => {
    onRequest()
    const options = { hostname, port: at, method: incoming.method, path: `${base}${incoming.url}`, headers: { ...headers, ...incoming.headers } }
    const onward = request(options, (response) => {
      outgoing.writeHead(response.statusCode, response.headers)
      response.pipe(outgoing)
    })
    onward.on('error', (error) => outgoing.writeHead(502).end(error.message))
    incoming.pipe(onward)
  })
  // Some tests block their client for a minute. If the connection is closed meanwhile, the client's next request fails.
  server.keepAliveTimeout = MAX_IDLE_MILLISECONDS
  await new Promise((done, failed) => server.once('error', failed).listen(port, done))
  return () => {
    server.closeAllConnections()
    server.close()
  }
}
