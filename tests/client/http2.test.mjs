/**
 * HTTP/2 behind `[server.tls]`. Each request has the same response as over HTTP/1.1. Clients of other projects (curl, node's http2, supabase-py) use
 * HTTP/2. Hostile clients send what other clients do not send.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2, constants } from 'node:http2'
import { request as requestHttp1 } from 'node:https'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect as connectTls } from 'node:tls'

import { makeCertificate } from '../support/certificates.mjs'
import { freePort, makeProject, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const migration = `
create table public.boats (id int primary key, name text, papers jsonb not null default '{}');
insert into public.boats select n, 'boat ' || n, jsonb_build_object('city', 'Gourock') from generate_series(1, 300) n;
alter table public.boats enable row level security;
create policy "everyone reads" on public.boats for select using (true);
create policy "everyone writes" on public.boats for insert with check (true);
create function public.seen() returns json language sql stable as $$ select current_setting('request.headers', true)::json $$;
`
const large = randomBytes(20 * 1024 * 1024)

let cloch, port, authority, client
before(async () => {
  port = await freePort()
  const tls = `[server]\nslow_client_timeout = 2\n[limits.connections]\nper_network = 60\n[server.tls]\nlisten = "127.0.0.1:${port}"\ncertificate = "tls.crt"\nkey = "tls.key"\n`
  const place = await makeProject({ from: null, files: { 'cloch.toml': tls, 'migrations/1_boats.sql': migration } })
  authority = makeCertificate(place.project).authority
  cloch = await start(place)
  client = session()
  await once(client, 'connect')
  const bucket = await ask2('POST', '/storage/v1/bucket', { key: cloch.serviceKey, body: '{"name":"open","id":"open","public":true}', headers: json })
  assert.equal(bucket.status, 200, String(bucket.body))
})
after(async () => {
  client?.destroy()
  await cloch?.remove()
})

const json = { 'content-type': 'application/json' }
// Data of this client's session may wait in memory. With node's default limit, it refuses responses if this is more than 10 MB.
const session = (options = {}) => connectHttp2(`https://localhost:${port}`, { ca: readFileSync(authority), maxSessionMemory: 200, ...options }).on('error', () => {})

/** Sends a request over HTTP/2. Returns the status, headers and body. */
async function ask2(method, path, { key = cloch.anonKey, headers = {}, body, by = client } = {}) {
  const stream = by.request({ ':method': method, ':path': path, apikey: key, authorization: `Bearer ${key}`, ...headers }, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  return answer(stream, (head) => head[':status'])
}

/** Sends the same request over HTTP/1.1. */
async function ask1(method, path, { key = cloch.anonKey, headers = {}, body } = {}) {
  const request = requestHttp1({ host: 'localhost', port, path, method, ca: readFileSync(authority), agent: false, headers: { apikey: key, authorization: `Bearer ${key}`, ...headers } })
  request.end(body)
  return answer(request, ({ statusCode }) => statusCode)
}

async function answer(request, status) {
  const head = await new Promise((done, failed) => {
    request.once('response', done).once('error', failed)
    request.once('close', () => failed(new Error(`closed without a response, code ${request.rstCode}`)))
  })
  const source = head.headers === undefined ? request : head
  const parts = []
  for await (const part of source) parts.push(part)
  return { status: status(head), headers: head.headers ?? head, body: Buffer.concat(parts) }
}

/** Headers that differ between two requests, or that only one HTTP version has. */
const own = ['connection', 'keep-alive', 'date', 'x-request-id', 'transfer-encoding', 'server-timing']
// In a response with status 304, the length is optional (RFC 9110, section 8.6).
const isCompared = (name, status) => !name.startsWith(':') && !own.includes(name) && !(status === 304 && name === 'content-length')
const compared = ({ status, headers, body }) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isCompared(name, status)).map(([name, value]) => [name, withoutIds(value)]).sort()),
  body: withoutIds(body.toString('latin1')),
})
const withoutIds = (text) => text.toString().replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'an id')

test('each request has the same response as over HTTP/1.1', async () => {
  await ask2('POST', '/storage/v1/object/open/a.txt', { key: cloch.serviceKey, body: 'hello from the pier', headers: { 'content-type': 'text/plain' } })
  const paths = [
    '/', '/health', '/nowhere', '//rest/v1/boats?limit=1', '/rest/v1/', '/rest/v1/boats', '/rest/v1/boats?select=name&id=lt.5', '/rest/v1/boats?select=papers-%3E%3Ecity&limit=2',
    '/rest/v1/boats?id=in.(1,2)&order=id.desc', '/rest/v1/boats?name=eq.%C3%A9', '/rest/v1/nothing', '/rest/v1/boats?nope=eq.1', '/rest/v1/rpc/nope', '/auth/v1/settings', '/auth/v1/health',
    '/auth/v1/user', '/auth/v1/admin/users', '/auth/v1/.well-known/jwks.json', '/storage/v1/bucket', '/storage/v1/object/public/open/a.txt', '/storage/v1/object/public/open/none', '/storage/v1/status',
    '/functions/v1/none', '/realtime/v1/websocket', '/realtime/v1/api/ping', '/_/', '/_/api/project', '/_/docs/', '/graphql/v1', '/metrics', '/pg/none', `/rest/v1/boats?name=eq.${'x'.repeat(20_000)}`,
  ]
  const headers = [{}, { prefer: 'count=exact', range: '0-1' }, { accept: 'text/csv' }, { origin: 'https://elsewhere.example', 'accept-encoding': 'gzip, br' }, { 'if-none-match': '*', cookie: 'a=1; b=2' }]
  let tried = 0
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PROPFIND']) {
    for (const path of paths) {
      for (const more of headers) {
        const [one, two] = [await ask1(method, path, { headers: more }), await ask2(method, path, { headers: more })]
        assert.deepEqual(compared(two), compared(one), `${method} ${path.slice(0, 80)} ${JSON.stringify(more)}`)
        tried += 1
      }
    }
  }
  assert.equal(tried, 5 * paths.length * headers.length)
  const bodies = [['/rest/v1/boats', '{"id":null}'], ['/rest/v1/boats', 'no json'], ['/rest/v1/rpc/none', '{}'], ['/auth/v1/token?grant_type=password', '{"email":"nobody@club.example","password":"wrong"}'],
    ['/auth/v1/signup', '{}'], ['/storage/v1/object/open/refused.txt', 'no right'], ['/storage/v1/object/list/open', '{"prefix":""}'], ['/functions/v1/none', '{}'], ['/graphql/v1', '{}']]
  for (const [path, body] of bodies) {
    const options = { body, headers: json }
    assert.deepEqual(compared(await ask2('POST', path, options)), compared(await ask1('POST', path, options)), `POST ${path}`)
  }
})

test('the database and the handlers get the headers of HTTP/1.1', async () => {
  // A client may divide the cookies into several headers, as Chromium does.
  const { status, body } = await ask2('POST', '/rest/v1/rpc/seen', { headers: { ...json, cookie: ['a=1', 'b=2'] }, body: '{}' })
  assert.equal(status, 200)
  const seen = JSON.parse(body)
  assert.deepEqual([seen.host, seen.cookie ?? 'not shown', Object.keys(seen).filter((name) => name.startsWith(':'))], [`localhost:${port}`, 'not shown', []])
  const two = await ask2('GET', '/rest/v1/boats?limit=1', { headers: { ':authority': `localhost:${port}`, host: 'elsewhere.example' } })
  assert.deepEqual([two.status, JSON.parse(two.body).message], [400, 'more than one Host header'])
})

test('files are sent and received completely, many at a time', async () => {
  const put = await ask2('POST', '/storage/v1/object/open/large.bin', { key: cloch.serviceKey, body: large, headers: { 'content-type': 'application/octet-stream' } })
  assert.equal(put.status, 200, String(put.body))
  const reads = await Promise.all(Array.from({ length: 5 }, () => ask2('GET', '/storage/v1/object/public/open/large.bin')))
  for (const { status, headers, body } of reads) assert.ok(status === 200 && Number(headers['content-length']) === large.length && body.equals(large))
  const part = await ask2('GET', '/storage/v1/object/public/open/large.bin', { headers: { range: 'bytes=1000000-1000009' } })
  assert.deepEqual([part.status, part.body], [206, large.subarray(1_000_000, 1_000_010)])
  const rows = await Promise.all(Array.from({ length: 50 }, (_, index) => ask2('GET', `/rest/v1/boats?id=eq.${index + 1}&select=name`)))
  assert.deepEqual(rows.map(({ body }) => String(body)), Array.from({ length: 50 }, (_, index) => `[{"name":"boat ${index + 1}"}]`))
})

test('an upload that is refused before its end gets its response, and the connection stays open', async () => {
  const refused = await ask2('POST', '/storage/v1/object/open/refused.bin', { body: large, headers: { 'content-type': 'application/octet-stream' } })
  assert.ok(refused.status === 400 || refused.status === 403, `${refused.status}`)
  assert.match(String(refused.body), /row-level security/)
  assert.equal((await ask2('GET', '/health')).status, 200)
})

test('more concurrent requests than connections of a network are refused with 503', async () => {
  // A network may have 60 connections: the connection of this client, and 59 further requests.
  const waiting = Array.from({ length: 90 }, () => client.request({ ':method': 'POST', ':path': '/auth/v1/token?grant_type=password', apikey: cloch.anonKey, ...json }))
  const heads = await Promise.all(waiting.slice(60).map(async (stream) => (await once(stream, 'response'))[0]))
  assert.ok(heads.some((head) => head[':status'] === 503 && head['retry-after'] === '5'), JSON.stringify(heads))
  waiting.forEach((stream) => stream.close(constants.NGHTTP2_CANCEL))
  // The request is retried, because the server notices the last reset only after some time.
  await until(async () => (await ask2('GET', '/health')).status === 200, 'place for a request')
})

test('a response that is not read, and a body that is not sent, are reset', async () => {
  const silent = session({ settings: { initialWindowSize: 1000 } })
  const unread = silent.request({ ':path': '/storage/v1/object/public/open/large.bin' })
  const unsent = client.request({ ':method': 'POST', ':path': '/rest/v1/boats', apikey: cloch.anonKey, ...json })
  unread.pause()
  const begun = performance.now()
  const [[head], [reset]] = await Promise.all([once(unsent, 'response'), once(unread, 'close').then(() => [unread.rstCode])])
  assert.ok(head[':status'] === 408 && reset !== constants.NGHTTP2_NO_ERROR, `${head[':status']} ${reset}`)
  assert.ok(performance.now() - begun >= 2000)
  unsent.close()
  const small = await ask2('GET', '/health', { by: silent })
  assert.equal(small.status, 200, 'other requests of the connection go on')
  silent.destroy()
})

test('invalid frames end the connection, and nothing else', async () => {
  for (const bytes of [randomBytes(5000), Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'), Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), randomBytes(5000)])]) {
    const socket = connectTls({ host: 'localhost', port, ca: readFileSync(authority), ALPNProtocols: ['h2'] }).on('error', () => {})
    await once(socket, 'secureConnect')
    assert.equal(socket.alpnProtocol, 'h2')
    socket.resume().write(bytes)
    await once(socket, 'close')
  }
  assert.equal((await ask2('GET', '/health')).status, 200)
})

test('curl uses HTTP/2, and repeats an unencoded target over HTTP/1.1', () => {
  const curl = (...options) => execFileSync('curl', ['--silent', '--show-error', '--cacert', authority, '--header', `apikey: ${cloch.anonKey}`, '--write-out', '\n%{http_version}', ...options], { encoding: 'utf8' }).split('\n')
  const at = `https://localhost:${port}/rest/v1/boats?id=eq.7`
  assert.deepEqual(curl(`${at}&select=name`), ['[{"name":"boat 7"}]', '2'])
  assert.deepEqual(curl(`${at}&select=papers->>city`), ['[{"city":"Gourock"}]', '1.1'])
  assert.deepEqual(curl('--http1.1', `${at}&select=name`), ['[{"name":"boat 7"}]', '1.1'])
})

test('supabase-py uses HTTP/2', (context) => {
  const python = process.env.CLOCH_TEST_PYTHON ?? 'python3'
  if (spawnSync(python, ['-c', 'import supabase']).status !== 0) return context.skip('the Python package supabase is not installed')
  const program = join(cloch.folder, 'client.py')
  writeFileSync(program, `
import os, supabase, httpx
versions = []
client = supabase.create_client(os.environ['URL'], os.environ['KEY'])
client.postgrest.session.event_hooks['response'] = [lambda response: versions.append(response.http_version)]
rows = client.table('boats').select('name, papers->>city').lt('id', 3).order('id').execute()
client.storage.from_('open').upload('py.txt', b'from python')
print([row['name'] for row in rows.data], client.storage.from_('open').download('py.txt'), versions)
`)
  const { status, stdout, stderr } = spawnSync(python, [program], { encoding: 'utf8', env: { ...process.env, URL: `https://localhost:${port}`, KEY: cloch.serviceKey, SSL_CERT_FILE: authority } })
  assert.deepEqual([status, stdout], [0, "['boat 1', 'boat 2'] b'from python' ['HTTP/2']\n"], stderr)
})

test('a stop lets a running request finish', async () => {
  const stream = client.request({ ':method': 'POST', ':path': '/rest/v1/boats', apikey: cloch.anonKey, ...json, prefer: 'return=minimal' })
  stream.write('[{"id":1001,')
  await ask2('GET', '/health')
  const stopped = cloch.stop()
  const goaway = once(client, 'goaway')
  await goaway
  stream.end('"name":"last"}]')
  const [head] = await once(stream, 'response')
  assert.equal(head[':status'], 201)
  assert.deepEqual(await stopped, { code: 0, signal: null })
})
