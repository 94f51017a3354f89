/** `cloch keys new`, `list` and `revoke` manage several API keys on a running server. `rotate-jwt-secret` runs on a stopped server. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, start } from '../support/program.mjs'

const table = `create table public.notes (id int); alter table public.notes enable row level security; grant all on public.notes to anon, service_role;
create policy visitors on public.notes for select to anon using (id < 10);`
const place = await makeProject({ from: null, files: { 'migrations/20260101000000_notes.sql': table } })
let running = await start(place)
after(async () => {
  await running?.stop()
  rmSync(place.folder, { recursive: true, force: true })
})

const run = (...words) => {
  const { status, stdout, stderr } = spawnSync(binary, ['keys', ...words, '--project', place.project, '--data', place.data], { encoding: 'utf8' })
  return { status, stdout, stderr }
}
const keys = (...words) => {
  const { status, stdout, stderr } = run(...words)
  assert.equal(status, 0, stderr)
  return stdout
}
/** Creates a key. Returns the key and its ID. */
const made = (...words) => {
  const [, key, id] = keys('new', ...words).match(/^(sb_[\w-]+)\nIts ID is ([0-9a-f]{8})\./)
  return { key, id }
}
/** Sends a request to the table REST that has only a key, as clients do. Returns the status. */
const status = async (key, method = 'GET') => {
  const body = method === 'POST' ? '{"id":11}' : undefined
  const answer = await fetch(`${running.url}/rest/v1/notes`, { method, body, headers: { apikey: key, 'content-type': 'application/json' } })
  await answer.arrayBuffer()
  return answer.status
}
/** Waits until requests with a key get the expected status. Nodes read the keys every two seconds. */
const becomes = async (key, wanted) => {
  const until = Date.now() + 10_000
  let found
  while ((found = await status(key)) !== wanted) {
    assert.ok(Date.now() < until, `the status is ${found}, not ${wanted}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test('new keys are accepted beside the old ones, by every API, until they are revoked', async () => {
  const worker = made('secret', '--name', 'nightly worker')
  const page = made('publishable')
  assert.ok(worker.key.startsWith('sb_secret_') && page.key.startsWith('sb_publishable_'))
  await becomes(worker.key, 200)
  await becomes(page.key, 200)
  assert.equal(await status(worker.key, 'POST'), 201, 'a secret key bypasses row-level security')
  assert.equal(await status(page.key, 'POST'), 401, 'a publishable key is a visitor')
  assert.equal(await status(running.anonKey), 200)

  const admin = createClient(running.url, worker.key, { auth: { persistSession: false } })
  assert.equal((await admin.auth.admin.listUsers()).error, null)
  assert.equal((await admin.storage.createBucket('files')).error, null)
  const visitor = createClient(running.url, page.key)
  const joined = await new Promise((resolve) => visitor.channel('room').subscribe(resolve))
  assert.equal(joined, 'SUBSCRIBED')
  await visitor.removeAllChannels()

  const listed = keys('list')
  assert.match(listed, new RegExp(`^${worker.id}\\s+secret\\s+valid\\s+\\d{4}-\\d\\d-\\d\\d\\s+nightly worker$`, 'm'))
  assert.ok(!listed.includes(worker.key) && !listed.includes(page.key), 'the list shows no key')

  assert.match(keys('revoke', worker.id), /is revoked/)
  await becomes(worker.key, 401)
  assert.equal(await status(page.key), 200)
  assert.equal(await status(running.serviceKey), 200)
  assert.match(keys('list'), new RegExp(`^${worker.id}\\s+secret\\s+revoked`, 'm'))
  assert.notEqual((await admin.storage.listBuckets()).error, null)

  await running.stop()
  running = await start(place)
  assert.equal(await status(page.key), 200, 'accepted after a start')
  assert.equal(await status(worker.key), 401, 'refused after a start')
})

/** Opens a realtime WebSocket with a key. */
const socketOf = async (key) => {
  const socket = new WebSocket(`${running.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=1.0.0`)
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  const heartbeat = () =>
    new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(JSON.parse(data).payload.status), { once: true })
      socket.send(JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '1' }))
    })
  return { socket, closed, heartbeat }
}
/** Sends a request for messages, as phoenix.js does for long polling. Returns the response. */
const poll = async (parameters) => (await fetch(`${running.url}/realtime/v1/longpoll?vsn=1.0.0&${parameters}`)).json()

test('a revoked key closes the realtime connections that were opened with it, and no others', async () => {
  const [leaked, other] = [made('secret'), made('secret')]
  await becomes(leaked.key, 200)
  await becomes(other.key, 200)
  const [ends, stays] = [await socketOf(leaked.key), await socketOf(other.key)]
  const polled = await poll(`apikey=${leaked.key}`)
  assert.ok(polled.token, JSON.stringify(polled))
  assert.equal(await ends.heartbeat(), 'ok')

  keys('revoke', leaked.id)
  await ends.closed
  const gone = await poll(`token=${encodeURIComponent(polled.token)}`)
  assert.deepEqual([gone.status, gone.token], [410, undefined])
  await assert.rejects(socketOf(leaked.key))
  assert.equal((await poll(`apikey=${leaked.key}`)).status, 403)
  assert.equal(await stays.heartbeat(), 'ok')
  stays.socket.close()
})

test("the project's own opaque keys can be revoked too", async () => {
  const own = spawnSync(binary, ['status', '--project', place.project, '--data', place.data, '-o', 'env'], { encoding: 'utf8' }).stdout
  const secret = own.match(/^SECRET_KEY="?(sb_secret_[^"\n]+)/m)[1]
  assert.equal(await status(secret), 200)
  assert.match(keys('revoke', 'secret'), /remove the line secret_key/)
  await becomes(secret, 401)
  assert.match(keys('list'), /^secret\s+secret\s+revoked\s+the project's own key$/m)
  assert.equal(await status(running.serviceKey), 200, 'the JWT keys are other keys')
})

test('an unknown key, and a session of the project, cannot change keys', async () => {
  const unknown = run('revoke', 'ffffffff')
  assert.equal(unknown.status, 1)
  assert.match(unknown.stderr, /ffffffff is unknown/)
  assert.equal(run('new', 'secret', '--name', 'x'.repeat(101)).status, 1)
  assert.equal(run('new', 'other').status, 2)
})

test('rotate-jwt-secret first prints the consequences, and requires a stopped server', async () => {
  const told = keys('rotate-jwt-secret')
  assert.match(told, /anon and service_role keys .* become invalid[^]*Nothing was changed/)
  const busy = run('rotate-jwt-secret', '--yes')
  assert.equal(busy.status, 1)
  assert.equal(await status(running.anonKey), 200)

  const { anonKey, serviceKey } = running
  const page = made('publishable')
  await running.stop()
  keys('rotate-jwt-secret', '--yes')
  running = await start(place)
  assert.notEqual(running.anonKey, anonKey)
  assert.deepEqual([await status(anonKey), await status(serviceKey)], [401, 401])
  assert.deepEqual([await status(running.anonKey), await status(running.serviceKey), await status(page.key)], [200, 200, 200])
})
