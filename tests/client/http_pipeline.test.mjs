/** Checks for every request: hosts, ids, forwarding headers, and limits of connections. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { healthy, startProject } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const migration = `
create function public.seen() returns json language sql stable as $$ select current_setting('request.headers', true)::json $$;
`
const settings = '[limits.connections]\nper_network = 150\n'

let cloch
before(async () => {
  const change = (config) => config.replace('[api]\n', '[api]\nexternal_url = "https://club.example"\n')
  cloch = await startProject({ from: null, change, files: { 'migrations/1_seen.sql': migration, 'cloch.toml': settings } })
})
after(() => cloch?.remove())

/** Sends bytes. Reads until the server has closed the connection. */
async function raw(text) {
  const socket = connect(cloch.port, '127.0.0.1')
  let answer = ''
  socket.on('error', () => {}).on('data', (bytes) => (answer += bytes.toString('latin1')))
  socket.write(text)
  await once(socket, 'close')
  return answer
}
const request = (...lines) => raw([...lines, 'connection: close', '', ''].join('\r\n'))
const status = (answer) => Number(answer.split(' ')[1])

test('a request must name its host unambiguously', async () => {
  assert.equal(status(await request('GET /health HTTP/1.1')), 400)
  assert.equal(status(await request('GET /health HTTP/1.1', 'host: a.example', 'host: b.example')), 400)
  assert.equal(status(await request('GET /health HTTP/1.1', 'host: a.example/x')), 400)
  assert.equal(status(await request('GET /health HTTP/1.1', 'host: a.example:80')), 200)
  assert.equal(status(await request('GET /health HTTP/1.0')), 200)
})

test('a request id that is too long or contains other characters is not returned', async () => {
  const id = async (text) => /x-request-id: ([^\r]*)/.exec(await request('GET /health HTTP/1.1', 'host: x', `x-request-id: ${text}`))[1]
  assert.equal(await id('mine-1'), 'mine-1')
  for (const text of ['x'.repeat(60_000), 'two words', '\u00e9']) assert.match(await id(text), /^[0-9a-f-]{36}$/)
  assert.ok(!cloch.output().includes('x'.repeat(200)))
})

test('nothing reads what a stranger says of itself in the name of a proxy', async () => {
  const forged = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-prefix', 'x-forwarded-by',
    'x-forwarded-server', 'x-forwarded-ssl', 'x-forwarded-scheme', 'x-real-ip', 'forwarded', 'x-original-url', 'x-rewrite-url',
    'x-original-host', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip', 'fly-client-ip', 'x-cluster-client-ip']
  const lines = ['x-own: kept', ...forged.map((name) => `${name}: 198.51.100.1`)]
  const answer = await request('GET /rest/v1/rpc/seen HTTP/1.1', 'host: x', `apikey: ${cloch.anonKey}`, ...lines)
  assert.equal(status(answer), 200, answer)
  const seen = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
  assert.equal(seen['x-own'], 'kept')
  assert.deepEqual(forged.filter((name) => name in seen), [])
})

test('answers protect their readers', async () => {
  const headers = async (path) => {
    const { headers } = await fetch(cloch.url + path, { headers: { apikey: cloch.anonKey } })
    return ['x-content-type-options', 'cache-control', 'strict-transport-security'].map((name) => headers.get(name))
  }
  assert.deepEqual(await headers('/auth/v1/settings'), ['nosniff', 'no-store', 'max-age=31536000'])
  assert.deepEqual(await headers('/_/inbox/api/messages'), ['nosniff', 'no-store', 'max-age=31536000'])
  assert.deepEqual(await headers('/rest/v1/rpc/seen'), ['nosniff', null, 'max-age=31536000'])
  assert.equal((await headers('/'))[2], 'max-age=31536000')
})

/** Opens connections without sending a request. Stops when a connection is closed or refused, or when the given number is reached. */
async function crowd(count) {
  const sockets = Array.from({ length: count }, () => connect(cloch.port, '127.0.0.1'))
  sockets.forEach((socket) => socket.on('error', () => {}))
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})))
  return sockets
}
const closeAll = (sockets) => sockets.forEach((socket) => socket.destroy())

test('the number of connections of one client is limited; closed connections free their places', async () => {
  const sockets = await crowd(200)
  const closed = () => sockets.filter((socket) => socket.closed || socket.destroyed || socket.readableEnded).length
  sockets.forEach((socket) => socket.resume())
  await until(() => closed() >= 50, `refusals: ${closed()}`)
  assert.ok(sockets.length - closed() >= 100, `${closed()} are closed`)
  closeAll(sockets)
  await until(() => healthy(cloch.url), 'an answer')
  await until(() => /connections refused: limit of concurrent connections reached/.test(cloch.output()), 'the line of the log')
})

test('without file descriptors the server keeps running, and serves when some are free again', async () => {
  const open = () => readdirSync(`/proc/${cloch.child.pid}/fd`).length
  const limit = open() + 30
  execFileSync('prlimit', [`--nofile=${limit}:`, '--pid', String(cloch.child.pid)])
  const sockets = await crowd(100)
  await until(() => cloch.output().includes('accepting connections failed'), 'a shortage')
  assert.ok(open() >= limit - 1, `${open()} of ${limit}`)
  closeAll(sockets)
  await until(() => healthy(cloch.url), 'an answer')
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  await until(async () => !(await service.rpc('seen')).error, 'an answer of the database')
  const lines = cloch.output().split('\n').filter((line) => line.includes('accepting connections failed'))
  assert.ok(lines.length < 5, `${lines.length} lines`)
})
