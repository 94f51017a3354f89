/** S3 servers for tools: Cloch, both directly and behind a proxy, and moto for comparison. */
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'

const moto = `
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
print('http://%s:%s' % server.get_host_and_port(), flush=True)
sys.stdin.read()
`

/** Starts moto. It runs until its standard input is closed, so it ends together with this process. */
export async function startMoto(python) {
  const child = spawn(python, ['-c', moto], { stdio: ['pipe', 'pipe', 'ignore'] })
  const url = await new Promise((done, failed) => {
    child.once('exit', (code) => failed(new Error(`moto ended with ${code}`)))
    child.stdout.once('data', (text) => done(text.toString().trim()))
  })
  return { url, region: 'us-east-1', key: 'testing', secret: 'testing-secret', stop: () => child.stdin.end() }
}

/** Starts a proxy that offers a program's S3 API at the root of a separate host. Some tools support S3 only in this form. */
export async function startProxy(cloch) {
  const target = new URL(cloch.keys.STORAGE_S3_URL)
  const server = createServer((incoming, outgoing) => {
    const onward = request({ host: target.hostname, port: target.port, method: incoming.method, path: target.pathname + incoming.url, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise((closed) => server.close(closed))
    },
  }
}
