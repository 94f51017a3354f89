/** `[server.tls]`: HTTPS with the operator's certificate files. The operator replaces the files while the server runs. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect as connectTls } from 'node:tls'

import { binary, freePort, makeProject, sleep, start } from '../support/program.mjs'

const running = []
after(async () => {
  for (const cloch of running) await cloch.remove()
})

/** Creates a key and a self-signed certificate. Replaces both files as a renewal does. */
function renew(folder, name) {
  const draft = join(folder, 'draft')
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1',
    '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', `${draft}.key`, '-out', `${draft}.crt`], { stdio: 'ignore' })
  renameSync(`${draft}.key`, join(folder, 'tls.key'))
  renameSync(`${draft}.crt`, join(folder, 'tls.crt'))
}

async function project(settings = '') {
  const port = await freePort()
  const tls = `${settings}[server.tls]\nlisten = "127.0.0.1:${port}"\ncertificate = "tls.crt"\nkey = "tls.key"\n`
  const change = settings && ((config) => config.replace('[api]', `[api]\nexternal_url = "https://127.0.0.1:${port}"`))
  return { port, place: await makeProject({ from: null, files: { 'cloch.toml': tls }, change }) }
}

/** Sends a request over TLS. Returns the status, the body and the server's certificate. */
const ask = (port, path, ca) =>
  new Promise((done, failed) => {
    const asked = request({ host: '127.0.0.1', port, path, ca, agent: false }, (response) => {
      const { subject } = response.socket.getPeerCertificate()
      let body = ''
      response.on('data', (piece) => (body += piece))
      response.on('end', () => done({ status: response.statusCode, name: subject.CN, body }))
    })
    asked.once('error', failed)
    asked.end()
  })

test('files that are missing or do not belong together stop the start with an error', async () => {
  const { place } = await project()
  const refused = () => spawnSync(binary, ['start', '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 60_000 })
  assert.match(refused().stderr, /server\.tls: .*tls\.crt/)
  renew(place.project, 'one')
  const key = readFileSync(join(place.project, 'tls.key'))
  renew(place.project, 'two')
  writeFileSync(join(place.project, 'tls.key'), key)
  const { status, stderr } = refused()
  assert.equal(status, 1)
  assert.match(stderr, /server\.tls/)
  assert.doesNotMatch(stderr, /PRIVATE KEY/)
  writeFileSync(join(place.project, 'tls.key'), 'no key')
  assert.match(refused().stderr, /tls\.key: it cannot be read, or holds no key/)
})

test('a renewed certificate is used without a restart, and a broken one is not', async () => {
  const { port, place } = await project()
  const file = join(place.project, 'tls.crt')
  renew(place.project, 'first')
  const cloch = await start(place)
  running.push(cloch)
  const first = readFileSync(file)
  const answer = await ask(port, '/health', first)
  assert.deepEqual([answer.status, answer.name], [200, 'first'])
  assert.equal((await fetch(`${cloch.url}/health`)).status, 200, 'plain HTTP at its own port')
  // The existing connection stays open.
  const open = connectTls({ host: '127.0.0.1', port, ca: first })
  await new Promise((done) => open.once('secureConnect', done))

  renew(place.project, 'second')
  const second = readFileSync(file)
  let renewed
  for (let attempt = 0; attempt < 100 && renewed?.name !== 'second'; attempt += 1) {
    await sleep(100)
    renewed = await ask(port, '/health', [first, second])
  }
  assert.equal(renewed.name, 'second')
  open.write('GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  const [said] = await new Promise((done) => open.once('data', (...data) => done(data)))
  assert.match(String(said), /^HTTP\/1\.1 200/)

  writeFileSync(file, 'no certificate')
  await sleep(3000)
  assert.equal((await ask(port, '/health', [first, second])).name, 'second')
  assert.match(cloch.output(), /changed TLS certificate of \[server\.tls\] is invalid, keeping the previous certificate/)
})

test('plain HTTP on the TLS port is refused, and so are old protocols', async () => {
  const { port, place } = await project()
  renew(place.project, 'here')
  running.push(await start(place))
  const plain = connect(port, '127.0.0.1')
  plain.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const answer = await new Promise((done) => {
    let text = ''
    plain.on('data', (piece) => (text += piece.toString('latin1')))
    plain.on('close', () => done(text))
    plain.on('error', () => done(text))
  })
  assert.doesNotMatch(answer, /HTTP\/1\.1 200/)
  const old = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
  const error = await new Promise((done) => {
    old.once('error', done)
    old.once('secureConnect', () => done(undefined))
  })
  assert.ok(error)
})

test('plain HTTP at the address of redirect_http redirects reads to HTTPS, and refuses requests with a body', async () => {
  const from = await freePort()
  const { port, place } = await project(`[server]\nredirect_http = "127.0.0.1:${from}"\n`)
  renew(place.project, 'here')
  const cloch = await start(place)
  running.push(cloch)
  const at = `http://127.0.0.1:${from}`
  const headers = { apikey: cloch.serviceKey }
  const read = await fetch(`${at}/about?page=2`, { redirect: 'manual' })
  assert.deepEqual([read.status, read.headers.get('location')], [308, `https://127.0.0.1:${port}/about?page=2`])
  const host = await new Promise((done) => plainRequest(`${at}/`, { headers: { host: 'elsewhere.example' } }, done).end())
  assert.equal(host.headers.location, `https://127.0.0.1:${port}/`, 'no address of somebody else')
  for (const path of ['/auth/v1/admin/users', '/rest/v1/none', '/health']) {
    const answer = await fetch(`${at}${path}`, { method: 'POST', headers, body: '{}' })
    assert.equal(answer.status, 403)
    assert.deepEqual(await answer.json(), { message: `Plain HTTP is not served here: use https://127.0.0.1:${port}` })
  }
  const socket = await new Promise((done) => {
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
    plainRequest(`${at}/realtime/v1/websocket?apikey=${cloch.anonKey}`, { headers: upgrade }, done).end()
  })
  assert.equal(socket.statusCode, 308)
  assert.equal((await fetch(`${at}/.well-known/acme-challenge/none`)).status, 404, 'what an authority asks is answered')
})
