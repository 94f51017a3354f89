/** How the server responds to clients while the database is stopped, frozen, restarted, or replaced by its standby. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { makeProject, sleep, start } from '../support/program.mjs'
import { startPair } from '../support/postgres_pair.mjs'

/** Maximum time that a request waits for an unavailable database. */
const LONGEST_WAIT_MS = 7_000
/** Maximum time from the end of an outage to the first request that succeeds. */
const BACK_AFTER_MS = 8_000

let pair, cloch, service
before(async () => {
  pair = await startPair()
  const place = await makeProject({
    from: null,
    files: {
      'migrations/1_notes.sql': `create table public.notes (id int primary key);
        grant all on public.notes to service_role;
        insert into storage.buckets (id, name) values ('files', 'files')`,
    },
  })
  cloch = await start(place, { environment: { CLOCH_DB_URL: pair.url } })
  service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
})
after(async () => {
  await cloch?.remove()
  pair?.remove()
})

/** One request to each API that needs the database, and a check of the body with which the API refuses the request. */
const requests = {
  'table REST, read': ['GET', '/rest/v1/notes', undefined, (body) => body.code.startsWith('PGRST') || body.code.startsWith('57P')],
  'table REST, write': ['POST', '/rest/v1/notes?on_conflict=id', [{ id: 1 }], (body) => body.code.startsWith('PGRST') || body.code.startsWith('57P')],
  auth: ['POST', '/auth/v1/token?grant_type=password', { email: 'a@example.org', password: 'no-password' }, (body) => body.error_code === 'unexpected_failure'],
  'storage, list': ['POST', '/storage/v1/object/list/files', { prefix: '' }, (body) => body.statusCode === '503'],
  'storage, upload': ['PUT', '/storage/v1/object/files/a.txt', 'some text', (body) => body.statusCode === '503'],
}

/** Sends all requests. Returns the responses by name, with their durations. */
async function askAll() {
  const asked = Object.entries(requests).map(async ([name, [method, path, body]]) => {
    const begun = performance.now()
    const response = await fetch(cloch.url + path, {
      method,
      headers: {
        apikey: cloch.serviceKey,
        authorization: `Bearer ${cloch.serviceKey}`,
        prefer: 'resolution=merge-duplicates',
        'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
      },
      body: typeof body === 'string' ? body : body && JSON.stringify(body),
    })
    const text = await response.text()
    return [name, { status: response.status, retryAfter: response.headers.get('retry-after'), text, took: performance.now() - begun }]
  })
  return Object.entries(Object.fromEntries(await Promise.all(asked)))
}

/** Checks that every API responds with 503 in its own error format and without a long delay. Called while the database is not available. */
async function refusedEverywhere(rounds) {
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { status, retryAfter, text, took }] of await askAll()) {
      assert.equal(status, 503, `${name}: ${status} ${text}`)
      assert.equal(retryAfter, '1', name)
      assert.ok(requests[name][3](JSON.parse(text)), `${name}: ${text}`)
      assert.ok(took < LONGEST_WAIT_MS, `${name} took ${took} ms`)
    }
    assert.equal((await fetch(`${cloch.url}/auth/v1/health`, { headers: { apikey: cloch.anonKey } })).status, 200)
  }
}

async function servedEverywhere() {
  const begun = performance.now()
  for (;;) {
    const answers = await askAll()
    if (answers.every(([name, { status }]) => status === (name === 'auth' ? 400 : status < 300 ? status : 200))) break
    for (const [name, { status, text }] of answers) assert.ok(status < 300 || status === 503 || (name === 'auth' && status === 400), `${name}: ${status} ${text}`)
    assert.ok(performance.now() - begun < BACK_AFTER_MS, JSON.stringify(answers))
    await sleep(200)
  }
  return performance.now() - begun
}

test('a primary that is frozen and continues', async () => {
  await servedEverywhere()
  pair.first.signal('SIGSTOP')
  try {
    await refusedEverywhere(3)
    assert.equal((await fetch(`${cloch.url}/health`)).status, 503)
  } finally {
    pair.first.signal('SIGCONT')
  }
  await servedEverywhere()
})

test('a primary that is stopped and started again', async () => {
  pair.first.stop('immediate')
  await refusedEverywhere(3)
  pair.first.start()
  await servedEverywhere()
})

test('the standby takes over: acknowledged writes exist, and none exists twice', async () => {
  const acknowledged = new Set()
  const outcomes = new Map()
  let goesOn = true
  let next = 1000
  const writer = async () => {
    while (goesOn) {
      const id = (next += 1)
      // The client retries until the request is acknowledged, as applications do.
      for (;;) {
        const { error, status } = await service.from('notes').upsert({ id })
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1)
        if (!error) break
        assert.equal(status, 503, `${status} ${JSON.stringify(error)}`)
        await sleep(100)
      }
      acknowledged.add(id)
    }
  }
  const writers = [1, 2, 3, 4].map(writer)
  await sleep(1000)
  pair.first.signal('SIGSTOP')
  await sleep(2000)
  pair.second.promote()
  await servedEverywhere()
  const before_ = acknowledged.size
  await sleep(500)
  assert.ok(acknowledged.size > before_, 'nobody writes to the new primary')
  goesOn = false
  await Promise.all(writers)
  const stored = new Set(pair.second.sql('select id from notes where id > 1000').split('\n').map(Number))
  for (const id of acknowledged) assert.ok(stored.has(id), `${id} is lost`)
  assert.equal(pair.second.sql('select pg_is_in_recovery()'), 'f')
  assert.ok(acknowledged.size > 20, JSON.stringify([...outcomes]))
})
