/** The history of a node's metrics: who may not read it, the ranges, the contents. After a restart, the history is empty. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@supabase/supabase-js'
import { Operator, firstOperator, invited } from '../support/dashboard.mjs'
import { makeProject, sleep, start } from '../support/program.mjs'

let place
let server
let viewer

before(async () => {
  place = await makeProject({
    from: null,
    files: {
      'migrations/20260101000000_notes.sql': `
        create table public.notes (id int primary key, body text);
        alter table public.notes enable row level security;
        create policy everybody on public.notes for select using (true);
        grant select on public.notes to anon;
        create function public.fails() returns void language plpgsql as $$ begin raise sqlstate 'PT500'; end $$;`,
    },
  })
  server = await start(place)
  viewer = await invited(await firstOperator(server), 'viewer')
})

after(() => server?.remove())

/** Requests the last hour until the condition is true. */
const lastHour = async (isDone) => {
  for (;;) {
    const metrics = await viewer.must('GET', '/metrics?range=1h')
    if (isDone(metrics)) return metrics
    await sleep(500)
  }
}

/** Computes the total number from rates per second. */
const total = ({ series, step }, name) => Math.round((series[name] ?? []).reduce((sum, rate) => sum + (rate ?? 0) * step, 0))

test('strangers and the project’s keys cannot read metrics', async () => {
  const stranger = new Operator(server.url)
  const answer = await stranger.send('GET', '/metrics?range=1h')
  assert.deepEqual([answer.status, answer.json.code], [401, 'signed_out'])
  for (const key of [server.anonKey, server.serviceKey, server.keys.SECRET_KEY]) {
    const { status, text } = await stranger.send('GET', '/metrics', undefined, { headers: { apikey: key, authorization: `Bearer ${key}` } })
    assert.equal(status, 401)
    assert.doesNotMatch(text, /series|node/)
  }
})

test('other ranges and methods are refused', async () => {
  for (const query of ['range=2h', 'range=', 'range=1H', 'range=1h&range=7d', 'range=3600', "range=1h'--", 'range=1h%00']) {
    const { status, json } = await viewer.send('GET', `/metrics?${query}`)
    assert.deepEqual([status, json.code, typeof json.message], [400, 'bad_request', 'string'], query)
  }
  assert.match((await viewer.send('GET', '/metrics?range=2h')).json.message, /1h.*24h.*7d/, 'it says which there are')
  const { status, json } = await viewer.send('POST', '/metrics', {})
  assert.deepEqual([status, json.code], [405, 'method_not_allowed'])
})

test('each range has its own duration and step, and viewers can read it', async () => {
  for (const [range, step, hours] of [
    ['1h', 10, 1],
    ['24h', 300, 24],
    ['7d', 300, 168],
  ]) {
    const metrics = await viewer.must('GET', `/metrics?range=${range}`)
    assert.deepEqual([metrics.range, metrics.step, metrics.to - metrics.from], [range, step, hours * 3600])
    assert.match(metrics.node, new RegExp(`.+:${new URL(server.url).port}$`))
  }
  assert.equal((await viewer.must('GET', '/metrics')).range, '1h')
  const { paths } = await viewer.must('GET', '/openapi.json')
  assert.equal(paths['/metrics'].get['x-cloch-role'], 'viewer')
})

test('requests of clients are counted, and requests that monitor the server are not', async () => {
  // The first sample is the difference between the second reading of the metrics and the first one.
  await lastHour(({ times }) => times.length > 0)
  const client = createClient(server.url, server.anonKey, { auth: { persistSession: false } })
  for (let round = 0; round < 7; round += 1) {
    assert.equal((await client.from('notes').select()).error, null)
    assert.notEqual((await client.rpc('fails')).error, null)
    assert.notEqual((await client.auth.signInWithPassword({ email: 'a@b.example', password: 'wrong' })).error, null)
    assert.equal((await fetch(`${server.url}/health`)).status, 200)
  }
  const metrics = await lastHour((metrics) => total(metrics, 'requests_rest') >= 14 && total(metrics, 'requests_auth') >= 7)
  assert.deepEqual(
    ['requests_rest', 'requests_auth', 'requests_web', 'errors_5xx', 'errors_4xx'].map((name) => total(metrics, name)),
    [14, 7, 0, 7, 7],
  )
  for (const values of Object.values(metrics.series)) assert.equal(values.length, metrics.times.length)
  assert.ok(metrics.times.every((time, index) => time % 10 === 0 && time > (metrics.times[index - 1] ?? 0)))
  const newest = (name) => metrics.series[name].findLast((value) => value !== null)
  assert.ok(newest('latency_p50_ms') > 0 && newest('latency_p50_ms') <= newest('latency_p99_ms'))
  assert.ok(newest('memory_bytes') > 1e6 && newest('database_bytes') > 1e6 && newest('disk_free_bytes') > 0)
  assert.ok(newest('database_connections') >= 1 && newest('database_connections') <= newest('database_max_connections'))
  assert.equal(metrics.series.backup_age_seconds, undefined, 'there is no backup')
})

test('after a restart the history is empty', async () => {
  const before_ = await viewer.must('GET', '/metrics')
  await server.stop()
  server = await start(place)
  viewer.url = server.url
  const after_ = await viewer.must('GET', '/metrics')
  assert.ok(new Date(after_.started_at) > new Date(before_.started_at))
  assert.ok(after_.times.every((time) => time * 1000 > new Date(after_.started_at).getTime()))
})
