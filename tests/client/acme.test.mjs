/**
 * With `[server] tls = "acme"`, the server obtains a certificate by itself. The certificate authority of this test is pebble, which validates domains
 * as a public authority does.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connect as connectTls } from 'node:tls'

import { binary, freePort, makeProject, removePlace, sleep, start } from '../support/program.mjs'
import { noPebble as skip, startPebble } from '../support/pebble.mjs'

const running = []
const pebbles = []
const places = []
after(async () => {
  for (const cloch of running) await cloch.remove()
  for (const pebble of pebbles) await pebble.stop()
  places.forEach(removePlace)
})

const NAME = 'club.example'

async function authority(options) {
  const pebble = await startPebble(options)
  pebbles.push(pebble)
  return pebble
}

/** Creates a project that serves HTTPS on a separate port. */
async function project(pebble, { domains = [NAME], settings = '', server = '', change } = {}) {
  const tlsPort = await freePort()
  const cloch = (names) => `[server]
tls = "acme"
${server}

[server.acme]
domains = ${JSON.stringify(names)}
contact = "operator@club.example"
directory_url = "${pebble.directory}"
root_certificate = "${pebble.rootFile}"
listen = "127.0.0.1:${tlsPort}"
${settings}
`
  const place = await makeProject({ from: null, files: { 'cloch.toml': cloch(domains) }, change })
  places.push(place)
  return { ...place, tlsPort, rename: (names) => writeFileSync(join(place.project, 'cloch.toml'), cloch(names)) }
}

async function run(place) {
  const cloch = await start(place)
  running.push(cloch)
  return cloch
}

/** Returns the URL of the database for a login that may read all tables. */
function adminUrl(cloch) {
  const database = new URL(cloch.keys.DB_URL)
  database.username = 'supabase_admin'
  database.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(cloch.data, 'secrets.toml'), 'utf8'))[1]
  return database.href
}

/** Returns the log lines that give the reason why there is no certificate. */
const failures = (cloch) => cloch.output().match(/.*HTTPS is unavailable until an order succeeds.*/g)

/**
 * Sends a request over TLS that trusts only the certificate authority of the test. Returns the status, and the certificate's serial number and names.
 */
const ask = (port, ca, servername = NAME) =>
  new Promise((done, failed) => {
    const asked = request({ host: '127.0.0.1', servername, port, path: '/health', headers: { host: servername }, ca, agent: false }, (response) => {
      const { serialNumber, subjectaltname } = response.socket.getPeerCertificate()
      response.resume().on('end', () => done({ status: response.statusCode, serial: serialNumber, names: subjectaltname }))
    })
    asked.once('error', failed)
    asked.end()
  })

/** Calls `holds` until it returns a value. Returns this value. */
async function until(what, holds, timeout = 90_000) {
  const begun = performance.now()
  for (;;) {
    const value = await Promise.resolve(holds()).catch(() => undefined)
    if (value) return value
    if (performance.now() - begun > timeout) throw new Error(`never: ${what}`)
    await sleep(100)
  }
}

const served = (place, ca, holds = () => true) => until(`a certificate at ${place.tlsPort}`, async () => {
  const answer = await ask(place.tlsPort, ca)
  return holds(answer) && answer
})

test('settings that cannot work stop the start, with an error that contains the allowed values', async () => {
  const refused = async (toml, config = (text) => text) => {
    const place = await makeProject({ from: null, files: { 'cloch.toml': toml }, change: config })
    places.push(place)
    const { status, stderr } = spawnSync(binary, ['start', '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 60_000 })
    assert.equal(status, 1)
    return stderr
  }
  assert.match(await refused('[server]\ntls = "acme"\n'), /server\.acme\.domains: name the domain/)
  assert.match(await refused('[server]\ntls = "lego"\n'), /server\.tls: .*"acme", or the section \[server\.tls\]/)
  assert.match(await refused('[server]\ntls = "acme"\nacme.domains = ["*.club.example"]\n'), /server\.acme\.domains: \*\.club\.example.*DNS/)
  assert.match(await refused('[server]\ntls = "acme"\nacme.domains = ["192.0.2.7"]\n'), /server\.acme\.domains/)
  assert.match(await refused('[server]\ntls = "acme"\nacme.domains = ["a.example"]\nacme.directory_url = "http://localhost/dir"\n'), /directory_url: must be an https/)
  assert.match(await refused('[server]\ntls = "acme"\nacme.domain = ["a.example"]\n'), /server\.acme\.domain is unknown; did you mean domains/)
  assert.match(await refused('[server.tls]\nlisten = "127.0.0.1:1"\ncertificat = "x"\nkey = "y"\n'), /server\.tls/)
  assert.match(await refused('[server.acme]\ndomains = ["a.example"]\n'), /has no effect without tls = "acme"/)
  const port = await freePort()
  assert.match(await refused(`[server]\ntls = "acme"\nacme.domains = ["a.example"]\nacme.listen = "127.0.0.1:${port}"\nacme.root_certificate = "none.pem"\n`), /root_certificate: .*none\.pem/)
  assert.match(await refused(`[server]\ntls = "acme"\nacme.domains = ["a.example"]\nacme.listen = "127.0.0.1:${port}"\n`, (text) => text.replace(/^port = \d+$/m, `port = ${port}`)), /api\.port: is the port of HTTPS/)
})

test('a certificate is ordered, served, and kept after a restart', { skip }, async () => {
  const pebble = await authority()
  const root = await pebble.root()
  const place = await project(pebble, { domains: [NAME, 'www.club.example'] })
  pebble.toTls = () => place.tlsPort
  let cloch = await run(place)
  const first = await served(place, root)
  assert.equal(first.status, 200)
  assert.equal(first.names, 'DNS:club.example, DNS:www.club.example')
  assert.equal((await fetch(`${place.url}/health`)).status, 200, 'plain HTTP at its own port')
  assert.equal(cloch.keys.API_URL, 'https://club.example', 'the address that people use')
  assert.match(cloch.output(), /acme: no certificate yet/)
  // The server uses the new certificate a moment before it writes this log line.
  await until('the line', () => /acme: new connections use this certificate/.test(cloch.output()))
  assert.doesNotMatch(cloch.output(), /PRIVATE KEY|trusted_proxies/)

  const metrics = await (await fetch(`${place.url}/metrics`, { headers: { authorization: `Bearer ${cloch.keys.SECRET_KEY}` } })).text()
  const left = Number(/^cloch_tls_certificate_expiry_seconds (\S+)/m.exec(metrics)[1])
  assert.ok(left > 7_700_000 && left <= 7_776_000, left)
  assert.equal(Math.round(Number(/^cloch_tls_certificate_lifetime_seconds (\S+)/m.exec(metrics)[1]) / 10), 777_600)

  // The database contains the private key in encrypted form only.
  const psql = (sql) => execFileSync('psql', [adminUrl(cloch), '-Atc', sql], { encoding: 'utf8' })
  const stored = psql('select row_to_json(c)::text from cloch.acme_certificates c') + psql('select row_to_json(a)::text from cloch.acme_accounts a')
  assert.match(stored, /BEGIN CERTIFICATE/)
  assert.doesNotMatch(stored, /PRIVATE KEY|key_pkcs8/)
  assert.equal(psql('select count(*) from cloch.acme_challenges').trim(), '0', 'challenges are closed')
  assert.equal(psql("select has_table_privilege('anon', 'cloch.acme_certificates', 'select') or has_table_privilege('authenticated', 'cloch.acme_accounts', 'select')").trim(), 'f')

  // A client that uses the protocol of an ACME authority without an open challenge gets no certificate, and does not affect other connections.
  const stranger = await new Promise((done) => {
    const socket = connectTls({ host: '127.0.0.1', port: place.tlsPort, servername: NAME, ALPNProtocols: ['acme-tls/1'], rejectUnauthorized: false })
    socket.once('error', done)
    socket.once('secureConnect', () => done(undefined))
  })
  assert.ok(stranger, 'no challenge is open')

  await cloch.stop()
  assert.equal(pebble.orders(), 1)
  cloch = await run(place)
  assert.equal((await served(place, root)).serial, first.serial)
  await sleep(5000)
  assert.equal(pebble.orders(), 1, 'a restart does not order again')

  // The domains have changed, so the server needs another certificate.
  await cloch.stop()
  place.rename([NAME, 'new.club.example'])
  await run(place)
  const other = await served(place, root, (answer) => answer.names.includes('new.club.example'))
  assert.equal(other.names, 'DNS:club.example, DNS:new.club.example')
  assert.equal(pebble.orders(), 2)
})

test('a certificate is renewed without a restart, and open connections are kept', { skip }, async () => {
  const pebble = await authority({ validity: 30 })
  const root = await pebble.root()
  const place = await project(pebble)
  pebble.toTls = () => place.tlsPort
  await run(place)
  const first = await served(place, root)
  const open = connectTls({ host: '127.0.0.1', port: place.tlsPort, servername: NAME, ca: root })
  await new Promise((done, failed) => open.once('secureConnect', done).once('error', failed))
  const second = await served(place, root, (answer) => answer.serial !== first.serial)
  assert.equal(second.names, first.names)
  const said = new Promise((done) => open.once('data', done))
  open.write('GET /health HTTP/1.1\r\nhost: club.example\r\nconnection: close\r\n\r\n')
  assert.match(String(await said), /^HTTP\/1\.1 200/)
  await served(place, root, (answer) => answer.serial !== second.serial)
})

test('the authority requests an earlier renewal, and gets the id of the replaced certificate', { skip }, async () => {
  const pebble = await authority()
  const root = await pebble.root()
  const place = await project(pebble)
  pebble.toTls = () => place.tlsPort
  const orders = []
  // Pebble in Debian 12 does not support renewal information (RFC 9773). The proxy in front of pebble adds the information, and records which
  // certificate an order replaces.
  pebble.door.answer = async (incoming, body) => {
    if (incoming.url === '/dir') {
      const base = pebble.directory.replace('/dir', '')
      const paths = { newNonce: 'nonce-plz', newAccount: 'sign-me-up', newOrder: 'order-plz', revokeCert: 'revoke-cert', keyChange: 'rollover-account-key', renewalInfo: 'renewal' }
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${base}/${path}`]))) }
    }
    if (incoming.url.startsWith('/renewal/')) {
      const day = 86_400_000
      const isFirst = orders.every((replaced) => !replaced)
      const window = (from, to) => ({ start: new Date(Date.now() + from * day).toISOString(), end: new Date(Date.now() + to * day).toISOString() })
      return { status: 200, headers: { 'content-type': 'application/json', 'retry-after': '21600' }, body: JSON.stringify({ suggestedWindow: isFirst ? window(-2, -1) : window(50, 70), explanationURL: 'https://authority.example/why' }) }
    }
    if (incoming.url === '/order-plz') {
      const { replaces } = JSON.parse(Buffer.from(JSON.parse(body).payload, 'base64url'))
      orders.push(replaces)
      // Responds like an authority that refuses to replace the given certificate.
      if (replaces) return { status: 409, headers: { 'content-type': 'application/problem+json', 'replay-nonce': 'bad' }, body: JSON.stringify({ type: 'urn:ietf:params:acme:error:alreadyReplaced', detail: 'replaced already', status: 409 }) }
    }
  }
  const cloch = await run(place)
  const first = await served(place, root)
  const second = await served(place, root, (answer) => answer.serial !== first.serial)
  const asked = pebble.requests.filter((line) => line.startsWith('GET /renewal/')).map((line) => line.split('/')[2])
  assert.equal(Buffer.from(asked[0].split('.')[1], 'base64url').toString('hex').replace(/^00/, ''), first.serial.toLowerCase())
  // Pebble refuses some nonces at random, so the server may send an order more than once.
  const replacing = orders.findIndex((replaced) => replaced)
  assert.ok(replacing > 0, 'the first order replaces nothing')
  assert.equal(orders[replacing], asked[0], 'the order names what it replaces')
  const later = orders.slice(replacing + 1)
  assert.ok(later.length > 0 && later.every((replaced) => !replaced), 'where the authority minds, another does not')
  const line = /.*as the certificate authority suggests.*/.exec(cloch.output())[0]
  assert.match(line, /authority\.example\/why/)
  await until('the next question', () => pebble.requests.filter((line) => line.startsWith('GET /renewal/')).length === 2)
  await sleep(4000)
  assert.equal((await ask(place.tlsPort, root)).serial, second.serial)
})

test('requests to an unavailable authority are repeated until it responds', { skip }, async () => {
  const pebble = await authority()
  const root = await pebble.root()
  const place = await project(pebble)
  pebble.toTls = () => place.tlsPort
  await pebble.close()
  const cloch = await run(place)
  assert.match((await until('a failure', () => failures(cloch)))[0], /refused/i)
  assert.equal((await fetch(`${place.url}/health`)).status, 200, 'the rest serves')
  await assert.rejects(ask(place.tlsPort, root), /alert/)
  await pebble.open()
  assert.equal((await served(place, root)).status, 200)
  assert.equal(pebble.orders(), 1)
})

test('the log contains the authority’s error about a name, and the next attempt is delayed', { skip }, async () => {
  const pebble = await authority({ blocked: ['blocked.example'] })
  const place = await project(pebble, { domains: [NAME] })
  // No server listens on this port.
  pebble.toTls = () => 1
  let cloch = await run(place)
  const [line] = await until('a refusal', () => failures(cloch))
  assert.match(line, /club\.example: .*urn:ietf:params:acme:error:/)
  assert.match(line, /next_try_in_seconds=60\b/)
  await sleep(6000)
  assert.equal(pebble.orders(), 1)
  await cloch.stop()

  // The authority refuses certificates for this domain.
  place.rename(['blocked.example'])
  cloch = await run(place)
  const [refused] = await until('a refusal', () => failures(cloch))
  assert.match(refused, /blocked\.example/)
  assert.match(refused, /urn:ietf:params:acme:error:rejectedIdentifier/)
  await cloch.stop()

  // The authority refuses the order because there are too many. The server waits as long as the authority requests, also after a restart.
  place.rename(['other.example'])
  const limited = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates already issued for other.example', status: 429 }
  pebble.door.answer = (incoming) =>
    incoming.url === '/order-plz' ? { status: 429, headers: { 'content-type': 'application/problem+json', 'retry-after': '7200' }, body: JSON.stringify(limited) } : undefined
  const begun = () => pebble.requests.filter((line) => line === 'POST /order-plz').length
  const before = begun()
  cloch = await run(place)
  const [told] = await until('a limit', () => failures(cloch))
  assert.match(told, /too many certificates already issued for other\.example/)
  assert.match(told, /next_try_in_seconds=7200\b/)
  await cloch.stop()
  pebble.door.answer = undefined
  await run(place)
  await sleep(5000)
  assert.equal(begun(), before + 1)
})

test('an order continues after the server was killed', { skip }, async () => {
  const pebble = await authority()
  const root = await pebble.root()
  const place = await project(pebble)
  pebble.toTls = () => place.tlsPort
  // The server has created the order. It is killed when it is about to request the validation from the authority.
  const killed = new Promise((done) => {
    pebble.door.answer = (incoming) => (incoming.url.startsWith('/chalZ/') ? new Promise(() => done()) : undefined)
  })
  let cloch = await run(place)
  await killed
  await cloch.kill()
  assert.equal(pebble.orders(), 1)
  pebble.door.answer = undefined
  cloch = await run(place)
  assert.equal((await served(place, root)).status, 200)
  assert.match(cloch.output(), /acme: continuing a pending order/)
  assert.equal(pebble.orders(), 1, 'no second order')
  // The server has not registered a second account after the restart.
  assert.equal(pebble.accounts(), 1)
})

test('one of two nodes orders, the other one responds to the authority, and both serve the certificate', { skip }, async () => {
  const pebble = await authority()
  const root = await pebble.root()
  const [one, two] = [await project(pebble), await project(pebble)]
  await pebble.close()
  const first = await run(one)
  mkdirSync(two.data, { recursive: true })
  copyFileSync(join(one.data, 'secrets.toml'), join(two.data, 'secrets.toml'))
  const second = await start(two, { environment: { CLOCH_DB_URL: adminUrl(first) } })
  // The second node uses the database of the first node, so it must stop before the first one.
  running.unshift(second)
  // The authority sends its validation request to the node that did not send the order.
  const orders = (node) => /ordering a certificate|account registered/.test(node.output().match(/.*acme: .*/g)?.at(-1) ?? '')
  const looked = []
  pebble.toTls = () => {
    looked.push(orders(first) ? two : one)
    return looked.at(-1).tlsPort
  }
  await pebble.open()
  const certificates = [await served(one, root), await served(two, root)]
  assert.equal(certificates[0].serial, certificates[1].serial)
  assert.equal(pebble.orders(), 1)
  assert.ok(looked.length > 0)
  assert.equal(orders(looked[0] === one ? first : second), false, 'the other one answered')
})

test('validation over plain HTTP, if the settings require it', { skip }, async () => {
  const pebble = await authority()
  const root = await pebble.root()
  const redirectPort = await freePort()
  const place = await project(pebble, { domains: [NAME, 'www.club.example'], settings: 'challenge = "http-01"', server: `redirect_http = "127.0.0.1:${redirectPort}"` })
  const asked = [place.port, redirectPort]
  let looks = 0
  pebble.toHttp = () => asked[(looks += 1) % 2]
  pebble.toTls = () => 1
  await run(place)
  assert.equal((await served(place, root)).status, 200)
  assert.ok(looks >= 2)
  for (const token of ['unknown', 'a%2Fb', 'x'.repeat(200), '%00']) {
    assert.equal((await fetch(`${place.url}/.well-known/acme-challenge/${token}`)).status, 404, token)
  }
})

test('the doctor reports a port that no authority uses, a name with another address, and the served certificate', { skip }, async () => {
  const pebble = await authority()
  const place = await project(pebble, { domains: ['localhost', 'nowhere.invalid'] })
  pebble.toTls = () => place.tlsPort
  const examine = () => JSON.parse(spawnSync(binary, ['doctor', '--json', '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 60_000 }).stdout)
  const of = (findings, subject) => findings.filter((finding) => finding.subject === subject)
  const stopped = examine()
  assert.match(of(stopped, 'certificate')[0].seen, new RegExp(`the authority asks at port 443, and this server answers at ${place.tlsPort}`))
  assert.deepEqual(of(stopped, 'name').map(({ level }) => level), ['ok', 'problem'])
  assert.match(of(stopped, 'name')[1].seen, /nowhere\.invalid/)
  assert.equal(of(stopped, 'HTTPS port')[0].level, 'ok')

  pebble.door.answer = () => ({ status: 503, headers: {}, body: '' })
  const cloch = await run(place)
  const without = of(examine(), 'certificate').find(({ level }) => level === 'problem')
  assert.match(without.seen, /shows none/)
  pebble.door.answer = undefined
  await cloch.stop()
  place.rename(['localhost'])
  await run(place)
  await until('a certificate', async () => (await ask(place.tlsPort, await pebble.root(), 'localhost')).status === 200)
  assert.match(of(examine(), 'certificate').find(({ level }) => level === 'ok').seen, /valid until \d{4}-/)
})
