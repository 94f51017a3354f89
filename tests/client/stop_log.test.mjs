/**
 * An orderly stop of a busy server logs no warning and no error: open WebSockets, running requests, functions and a backup are part of the
 * usual operation. Otherwise each restart would cause a false alarm in log monitoring.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { deno } from '../support/deno.mjs'
import { makeProject, removePlace, sleep, start } from '../support/program.mjs'

const noSession = { auth: { persistSession: false, autoRefreshToken: false } }
const environment = { CLOCH_DENO: deno, CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const files = {
  'migrations/20260101000000_notes.sql': `
    create table public.notes (id int primary key); grant all on public.notes to anon, service_role;
    alter publication supabase_realtime add table public.notes;
    create function public.wait(seconds float8) returns text language sql security definer as $$ select pg_sleep(seconds); select 'waited' $$;`,
  'functions/hello/index.ts': `Deno.serve(async (request) => {
    if (request.headers.get("upgrade") === "websocket") return Deno.upgradeWebSocket(request).response;
    await new Promise((done) => setTimeout(done, 2000));
    return new Response("waited");
  });`,
}
let place
before(async () => {
  place = await makeProject({ from: null, files, change: (config) => `${config}\n[functions.hello]\nverify_jwt = false\n` })
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${join(place.folder, 'target')}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n[server]\nslow_statement = 60\n`)
})
after(() => removePlace(place))

/** Stops the server. Returns the warnings and errors that it logged meanwhile. */
async function alarms(cloch) {
  const logged = cloch.output().length
  assert.deepEqual(await cloch.stop(), { code: 0, signal: null })
  const lines = cloch.output().slice(logged).split('\n')
  assert.ok(lines.some((line) => / INFO .*server: stopped/.test(line)), lines.join('\n'))
  return lines.filter((line) => / (WARN|ERROR) /.test(line) || /panicked/.test(line))
}

async function until(condition, what) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await condition()) return
    await sleep(100)
  }
  assert.fail(`${what} did not happen`)
}

/** Opens a WebSocket. `received(event)` returns the payloads of the messages with this event. */
async function opened(path) {
  const socket = new WebSocket(`${place.url.replace('http', 'ws')}${path}`)
  const messages = []
  socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(data)))
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error(`${path} was refused`)))
  })
  return { socket, received: (name) => messages.filter(([, , , event]) => event === name).map(([, , , , payload]) => payload) }
}

test('a stop during the first base backup', async () => {
  const cloch = await start(place, { environment })
  // The server has begun the backup series, but has not completed the base backup.
  await until(() => existsSync(join(place.folder, 'target')), 'the backup')
  assert.deepEqual(await alarms(cloch), [])
})

test('a stop with open WebSockets, a subscription to changes, running requests and functions, and a backup', async () => {
  const cloch = await start(place, { environment })
  const status = () => JSON.parse(readFileSync(join(place.data, 'backup/status.json'), 'utf8'))
  await until(() => existsSync(join(place.data, 'backup/status.json')) && status().restorable_until, 'the backup')

  const client = createClient(cloch.url, cloch.serviceKey, noSession)
  const { socket, received } = await opened(`/realtime/v1/websocket?apikey=${cloch.anonKey}&vsn=2.0.0`)
  const postgres_changes = [{ event: '*', schema: 'public', table: 'notes' }]
  socket.send(JSON.stringify(['1', '1', 'realtime:notes', 'phx_join', { config: { postgres_changes } }]))
  await until(() => received('system').some(({ status }) => status === 'ok'), 'the subscription')
  assert.equal((await client.from('notes').insert({ id: 1 })).error, null)
  await until(() => received('postgres_changes').length === 1, 'the change')
  await opened('/functions/v1/hello')

  const headers = { apikey: cloch.serviceKey, authorization: `Bearer ${cloch.serviceKey}`, 'content-type': 'application/json' }
  const post = async (path, body) => {
    const response = await fetch(`${cloch.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return [response.status, await response.text()]
  }
  const running = [post('/rest/v1/rpc/wait', { seconds: 2 }), post('/functions/v1/hello', {})]
  // This row is written shortly before the stop, so that the backup still has data to copy.
  assert.equal((await client.from('notes').insert({ id: 2 })).error, null)
  await sleep(500)
  const found = await alarms(cloch)
  assert.deepEqual(await Promise.all(running), [
    [200, '"waited"'],
    [200, 'waited'],
  ])
  assert.deepEqual(found, [])
})
