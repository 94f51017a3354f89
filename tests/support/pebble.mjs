/**
 * An ACME certificate authority for tests: pebble behind a proxy. All requests to pebble pass through the proxy, so that tests can count, delay or
 * answer them. Tests also choose the addresses to which pebble connects for its challenges.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import { connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { makeCertificate } from './certificates.mjs'
import { freePort } from './ports.mjs'
import { sleep } from './program.mjs'

/** The reason why pebble cannot be used, or false if it can. */
export const noPebble = spawnSync('pebble', ['-h']).error ? 'pebble is not installed' : false

/**
 * @param {{ validity?: number, blocked?: string[] }} options `validity`: seconds for which pebble's certificates are valid; `blocked`: names that
 *   pebble refuses
 * @returns `directory`: URL of the ACME directory; `rootFile`: root certificate of pebble's own HTTPS; `root()`: root of the certificates that
 *   pebble issues; `requests`: method and path of each request; `created(path)`: number of requests to a path that pebble has answered with 201
 *   (at first, pebble refuses one request in twenty, as authorities may do); `door.answer`: a function that tests set; it gets a request and its
 *   body, and its answer is sent in place of pebble's; `toTls` and `toHttp`: functions that return the port to which pebble connects for a
 *   challenge; `setAddress(name, ip)`: sets the address of a name; `open()` and `close()`: start and stop the proxy; `stop()`
 */
export async function startPebble({ validity = 7_776_000, blocked = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-pebble-'))
  const at = (name) => join(folder, name)
  const files = makeCertificate(folder)
  const own = { cert: readFileSync(files.certificate), key: readFileSync(files.key) }
  const ca = readFileSync(files.authority)
  const [inner, management, dns, dnsManagement, doorPort, tlsPort, httpPort] = await Promise.all(Array.from({ length: 7 }, freePort))
  writeFileSync(at('pebble.json'), JSON.stringify({ pebble: {
    listenAddress: `127.0.0.1:${inner}`, managementListenAddress: `127.0.0.1:${management}`, certificate: files.certificate, privateKey: files.key,
    httpPort, tlsPort, certificateValidityPeriod: validity, domainBlocklist: blocked,
  } }))
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '']
  const children = [
    spawn('pebble-challtestsrv', ['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`, '-defaultIPv4', '127.0.0.1', '-defaultIPv6', '', ...off], { stdio: 'ignore' }),
    // pebble really validates the domains, but without its default random delays.
    spawn('pebble', ['-config', at('pebble.json'), '-dnsserver', `127.0.0.1:${dns}`], { stdio: 'ignore', env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_VA_ALWAYS_VALID: '', PEBBLE_AUTHZREUSE: '0' } }),
  ]

  const ask = (port, path) =>
    new Promise((done, failed) => {
      const asked = request({ host: '127.0.0.1', servername: 'localhost', port, path, ca, agent: false }, async (answer) => {
        answer.setEncoding('utf8')
        done((await answer.toArray()).join(''))
      })
      asked.once('error', failed)
      asked.end()
    })
  for (let waited = 0; ; waited += 1) {
    if (children.some((child) => child.exitCode !== null)) throw new Error('pebble ended')
    if (await ask(inner, '/dir').catch(() => undefined)) break
    if (waited > 300) throw new Error('pebble does not answer')
    await sleep(100)
  }

  const made = []
  const pebble = {
    directory: `https://localhost:${doorPort}/dir`,
    rootFile: files.authority,
    root: () => ask(management, '/roots/0'),
    requests: [],
    door: {},
    created: (path) => made.filter((url) => url === path).length,
    orders: () => pebble.created('/order-plz'),
    accounts: () => pebble.created('/sign-me-up'),
    setAddress: (host, ip) => fetch(`http://127.0.0.1:${dnsManagement}/add-a`, { method: 'POST', body: JSON.stringify({ host, addresses: [ip] }) }),
  }
  const door = createServer(own, async (incoming, outgoing) => {
    pebble.requests.push(`${incoming.method} ${incoming.url}`)
    const body = Buffer.concat(await incoming.toArray())
    const answered = await pebble.door.answer?.(incoming, body)
    if (answered) return outgoing.writeHead(answered.status, answered.headers).end(answered.body)
    // The Host header stays unchanged, because pebble uses it to build its URLs.
    const passed = request({ host: '127.0.0.1', servername: 'localhost', port: inner, path: incoming.url, method: incoming.method, headers: incoming.headers, ca, agent: false }, (answer) => {
      if (answer.statusCode === 201) made.push(incoming.url)
      outgoing.writeHead(answer.statusCode, answer.headers)
      answer.pipe(outgoing)
    })
    passed.once('error', () => outgoing.destroy())
    passed.end(body)
  })
  pebble.open = () => new Promise((done) => door.listen(doorPort, '127.0.0.1', done))
  pebble.close = () =>
    new Promise((done) => {
      door.close(done)
      door.closeAllConnections()
    })
  /** Forwards pebble's connections for a challenge to a port that the test chooses. */
  const lead = (port, name) => {
    const server = createTcpServer((incoming) => {
      const outgoing = connect(pebble[name]?.() ?? 1, '127.0.0.1')
      incoming.pipe(outgoing).pipe(incoming)
      incoming.on('error', () => outgoing.destroy())
      outgoing.on('error', () => incoming.destroy())
    })
    return new Promise((done) => server.listen(port, '127.0.0.1', () => done(server)))
  }
  const leads = [await lead(tlsPort, 'toTls'), await lead(httpPort, 'toHttp')]
  await pebble.open()
  pebble.stop = async () => {
    leads.forEach((server) => server.close())
    await pebble.close().catch(() => {})
    children.forEach((child) => child.kill('SIGKILL'))
    rmSync(folder, { recursive: true, force: true })
  }
  return pebble
}
