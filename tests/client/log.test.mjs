/** What the log says while the program runs: traces, slow statements, a filter that changes, and a start without noise. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'

import { binary, makeProject, sleep, start } from '../support/program.mjs'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
let cloch
before(async () => {
  const migration = `create function wait(seconds float) returns void language sql as 'select pg_sleep(seconds)';
    insert into storage.buckets (id, name) values ('pictures', 'pictures');`
  const files = {
    'migrations/20260101000000_wait.sql': migration,
    'seed.sql': 'select 1;',
    'objects/pictures/a.txt': 'a',
    'cloch.toml': '[server]\nslow_statement = 0.05\n[seed]\nobjects = "objects"\n',
  }
  cloch = await start(await makeProject({ from: null, seed: true, files }), { environment: { CLOCH_LOG_FORMAT: 'json' } })
})
after(() => cloch?.remove())

/** The lines that are JSON objects; the table at the start is none. */
const lines = () =>
  cloch
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

async function lineThat(holds, what) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const found = lines().find(holds)
    if (found) return found
    await sleep(50)
  }
  return assert.fail(`${what} is not in\n${cloch.output()}`)
}

const log = (...given) => spawnSync(binary, ['log', ...given, '--project', cloch.project, '--data', cloch.data], { encoding: 'utf8' })
const get = (path, headers = {}) => fetch(`${cloch.url}${path}`, { headers: { apikey: cloch.anonKey, ...headers } })

test('the start prints a table, and no lines of its own uploads', async () => {
  assert.match(cloch.output(), /^ +Ready {2}cloch \d+\.\d+\.\d+, after \d+\.\d s$/m)
  await lineThat((line) => /files in objects were uploaded/.test(line.message), 'the upload')
  assert.deepEqual(lines().filter((line) => line.route?.startsWith('/storage')), [])
})

test('a trace of the client is in the lines of its request, and one that is malformed is not', async () => {
  await get('/rest/v1/rpc/wait?seconds=0', { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'x-request-id': 'traced' })
  const line = await lineThat((one) => one.id === 'traced', 'the request')
  assert.equal(line.trace_id, TRACE)
  await get('/rest/v1/rpc/wait?seconds=0', { traceparent: `00-${TRACE}"-00f067aa0ba902b7-01`, 'x-request-id': 'forged' })
  assert.equal('trace_id' in (await lineThat((one) => one.id === 'forged', 'the request')), false)
})

test('a slow statement has a line with its name and the id that the client saw; durations have three digits', async () => {
  const response = await get('/rest/v1/rpc/wait?seconds=0.2')
  const id = response.headers.get('x-request-id')
  const slow = await lineThat((line) => line.message === 'a statement took long', 'the slow statement')
  assert.deepEqual([slow.id, slow.resource], [id, 'wait'])
  const { duration_ms: duration } = await lineThat((line) => line.id === id && line.message === 'answered', 'the request')
  assert.ok(duration >= 200 && Number.isInteger(duration), String(duration))
})

test('the filter changes while it runs, and what is no filter changes nothing', async () => {
  const refused = log('cloch=loud')
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /write a level/)
  assert.equal(log('error').status, 0)
  // Only lines of errors are written then: the change itself is none.
  await sleep(2500)
  await get('/rest/v1/rpc/wait?seconds=0', { 'x-request-id': 'silent' })
  assert.equal(log().stdout.trim(), 'error')
  assert.equal(log('--reset').status, 0)
  await lineThat((line) => /filter is changed/.test(line.message), 'the change back')
  await get('/rest/v1/rpc/wait?seconds=0', { 'x-request-id': 'heard' })
  await lineThat((line) => line.id === 'heard', 'the request')
  assert.deepEqual(lines().filter((line) => line.id === 'silent'), [])
})
