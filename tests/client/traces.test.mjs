/** Traces: what an OpenTelemetry collector receives about requests, also in traces that clients begin. No request waits for the collector. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { startCollector } from '../support/otlp.mjs'
import { makeProject, sleep, start } from '../support/program.mjs'

const PARENT = '00f067aa0ba902b7'
/** Returns a separate trace id for each test. */
const traceOf = (number) => `4bf92f3577b34da6a3ce929d0e0e47${number}`
const python = process.env.CLOCH_TEST_PYTHON ?? 'python3'

const files = (collector, more = '') => ({
  'migrations/20260101000000_notes.sql': `create table notes (id int primary key, body text);
    insert into notes values (1, 'swordfish');
    alter table notes enable row level security; create policy everybody on notes using (true) with check (true);
    grant all on notes to anon, authenticated;
    insert into storage.buckets (id, name) values ('files', 'files');
    create policy everybody on storage.objects using (true) with check (true);`,
  'cloch.toml': `[telemetry]\notlp_endpoint = "${collector.url}"\notlp_authorization = "env(COLLECTOR_SECRET)"\n${more}`,
})

let collector, cloch, upstream, smtp
let upstreamHeaders
before(async () => {
  collector = await startCollector()
  upstream = createServer((request, response) => {
    upstreamHeaders = request.headers
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const script = resolve(import.meta.dirname, '../../functions/mail/tests/it/support/smtp_server.py')
  smtp = spawn(python, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = await once(smtp.stdout, 'data')
  const smtpPort = JSON.parse(first).port
  // The SMTP server prints each mail. This output is discarded.
  smtp.stdout.resume()
  const mail = `\n[auth.email.smtp]\nenabled = true\nhost = "127.0.0.1"\nport = ${smtpPort}\nadmin_email = "club@example.org"\nsender_name = "The club"\n[functions.far]\nverify_jwt = false\n`
  const place = await makeProject({
    from: null,
    files: files(collector, `[functions.far]\nupstream = "http://127.0.0.1:${upstream.address().port}/"\n`),
    change: (config) => config + mail,
  })
  cloch = await start(place, { environment: { COLLECTOR_SECRET: 'Bearer of-the-collector' } })
})
after(async () => {
  await cloch?.remove()
  collector?.stop()
  upstream?.close()
  smtp?.kill()
})

const client = (number, flags = '01') => {
  const headers = { traceparent: `00-${traceOf(number)}-${PARENT}-${flags}` }
  return createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false }, global: { headers } })
}
const of = (number) => (span) => span.trace === traceOf(number)
const scrape = async () => (await fetch(`${cloch.url}/metrics`)).text()
const counter = (text, name) => Number(text.match(new RegExp(`^${name} (\\d+)`, 'm'))[1])

test('a table REST request is a part of the client’s trace, with its statement and without its values', async () => {
  assert.equal((await client(10).from('notes').select().eq('body', 'swordfish')).data.length, 1)
  const [server] = await collector.until((span) => of(10)(span) && span.kind === 2)
  assert.deepEqual([server.name, server.parent, server.failed], ['GET /rest/v1', PARENT, false])
  assert.deepEqual([server.attributes['http.response.status_code'], server.attributes['cloch.role']], [200, 'anon'])
  assert.equal(server.resource['service.name'], 'cloch')
  const [statement] = await collector.until((span) => of(10)(span) && span.name === 'postgresql')
  assert.deepEqual([statement.parent, statement.kind], [server.id, 3])
  assert.match(statement.attributes['db.query.text'], /FROM "public"."notes" WHERE .*\$1/)
  assert.ok(server.start <= statement.start && statement.start <= statement.end && statement.end <= server.end)
  const { headers, url } = collector.requests[0]
  assert.deepEqual([url, headers['content-type'], headers.authorization], ['/v1/traces', 'application/x-protobuf', 'Bearer of-the-collector'])
  for (const { body } of collector.requests) assert.ok(!body.includes('swordfish'))
})

test('a failure is marked, and a trace that the client does not record is not exported', async () => {
  assert.notEqual((await client(20, '00').from('notes').select()).data, null)
  assert.notEqual((await client(21).from('notes').insert({ id: 1 })).error, null)
  const [statement] = await collector.until((span) => of(21)(span) && span.name === 'postgresql')
  assert.equal(statement.failed, true, 'the key was taken')
  const [server] = await collector.until((span) => of(21)(span) && span.kind === 2)
  assert.deepEqual([server.attributes['http.response.status_code'], server.failed], [409, false], 'that is no failure of the server')
  await sleep(2500)
  assert.deepEqual(collector.spans().filter(of(20)), [])
})

test('the trace of an upload and a download contains the object store', async () => {
  const bucket = client(30).storage.from('files')
  assert.equal((await bucket.upload('a.txt', 'hello')).error, null)
  assert.equal((await bucket.download('a.txt')).error, null)
  const [put] = await collector.until((span) => of(30)(span) && span.name === 'store put')
  const [server] = await collector.until((span) => of(30)(span) && span.id === put.parent)
  assert.match(server.name, /^POST \/storage\/v1/)
  assert.doesNotMatch(JSON.stringify({ ...server, start: 0, end: 0 }), /a\.txt/)
  await collector.until((span) => of(30)(span) && span.name === 'store get')
  await collector.until((span) => of(30)(span) && span.name === 'postgresql' && span.parent === put.parent)
})

test('a function continues the trace', async () => {
  assert.equal((await client(40).functions.invoke('far')).error, null)
  const [call] = await collector.until((span) => of(40)(span) && span.name === 'function far')
  assert.equal(upstreamHeaders.traceparent, `00-${traceOf(40)}-${call.id}-01`)
  assert.equal(call.attributes['http.response.status_code'], 200)
})

test('the trace of a request contains the mail that it caused, including the delivery', async () => {
  const { error } = await client(50).auth.signInWithOtp({ email: 'traced@example.org' })
  assert.equal(error, null)
  const [queued] = await collector.until((span) => of(50)(span) && span.name === 'mail queue')
  const [delivered] = await collector.until((span) => of(50)(span) && span.name === 'mail deliver')
  assert.deepEqual([queued.kind, delivered.kind, delivered.parent], [4, 5, queued.id])
  const statements = await collector.until((span) => of(50)(span) && span.name === 'postgresql', 3)
  assert.ok(statements.some((span) => /^insert into/i.test(span.attributes['db.query.summary'])))
  for (const { body } of collector.requests) assert.ok(!body.includes('traced@example.org'))
})

test('requests without a trace begin a new one', async () => {
  await fetch(`${cloch.url}/rest/v1/notes`, { headers: { apikey: cloch.anonKey, 'x-request-id': 'begins' } })
  const [server] = await collector.until((span) => span.attributes['cloch.request_id'] === 'begins')
  assert.deepEqual([server.parent, server.trace.length], [undefined, 32])
  const line = cloch.output().split('\n').find((text) => text.includes('request{id="begins"'))
  assert.match(line, new RegExp(`trace=${server.trace}`), 'the log names it')
})

test('OpenTelemetry’s own classes can parse the exported traces', () => {
  const script = `import sys
from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
request = ExportTraceServiceRequest(); request.ParseFromString(sys.stdin.buffer.read()); print(MessageToJson(request))`
  const [{ body }] = collector.requests
  const { status, stdout, stderr } = spawnSync(python, ['-c', script], { input: body, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const [{ scopeSpans: [{ scope, spans }] }] = JSON.parse(stdout).resourceSpans
  assert.equal(scope.name, 'cloch')
  const server = spans.find((span) => span.kind === 'SPAN_KIND_SERVER')
  assert.deepEqual(Object.keys(server).filter((key) => !['parentSpanId', 'status'].includes(key)).sort(), ['attributes', 'endTimeUnixNano', 'kind', 'name', 'spanId', 'startTimeUnixNano', 'traceId'])
  return undefined
})

test('a collector that is unavailable, slow or refuses delays nothing, and lost spans are counted', async () => {
  const ask = () => fetch(`${cloch.url}/rest/v1/notes?select=id`, { headers: { apikey: cloch.anonKey } }).then((response) => response.status)
  const before_ = await scrape()
  // The collector accepts connections and never responds.
  collector.answer = () => 0
  let longest = 0
  for (let round = 0; round < 50; round += 1) {
    const begun = performance.now()
    const all = await Promise.all(Array.from({ length: 100 }, ask))
    assert.ok(all.every((status) => status === 200))
    longest = Math.max(longest, performance.now() - begun)
  }
  assert.ok(longest < 8000, `${longest} ms for 100 requests: one waits ten seconds for the collector`)
  const lost = counter(await scrape(), 'cloch_spans_dropped_total') - counter(before_, 'cloch_spans_dropped_total')
  assert.ok(lost >= 1000 && lost <= 10_000, `${lost} of about 10000 spans: 8192 wait, and one batch is on its way`)
  // The refusal is permanent. The server does not send the batch again.
  collector.answer = () => 400
  collector.stop()
  const second = await startCollector(collector.port)
  collector = second
  let refusals = 0
  second.answer = () => ((refusals += 1), 400)
  for (let attempt = 0; attempt < 600 && counter(await scrape(), 'cloch_spans_refused_total') < 512; attempt += 1) await sleep(100)
  assert.ok(refusals >= 1)
  assert.ok(counter(await scrape(), 'cloch_spans_refused_total') >= 512)
  // The queue still contains thousands of log lines.
  for (let attempt = 0; attempt < 200 && !/collector refused the data/.test(cloch.output()); attempt += 1) await sleep(50)
  assert.match(cloch.output(), /collector refused the data/)
  assert.ok(!cloch.output().includes('of-the-collector'), 'the secret is not in the log')
  // The error is temporary. The server sends the same batch again.
  let busy = 2
  second.answer = () => (busy-- > 0 ? 503 : 200)
  await fetch(`${cloch.url}/rest/v1/notes`, { headers: { apikey: cloch.anonKey, 'x-request-id': 'after-all' } })
  await second.until((span) => span.attributes['cloch.request_id'] === 'after-all')
  assert.ok(busy < 0)
})

test('remaining spans are sent at the end, and an unavailable collector does not delay the stop', async () => {
  await fetch(`${cloch.url}/rest/v1/notes`, { headers: { apikey: cloch.anonKey, 'x-request-id': 'the-last' } })
  await cloch.stop()
  assert.ok(collector.spans().some((span) => span.attributes['cloch.request_id'] === 'the-last'))
  collector.stop()
  cloch = await start(cloch, { environment: { COLLECTOR_SECRET: 'Bearer of-the-collector' } })
  await fetch(`${cloch.url}/rest/v1/notes`, { headers: { apikey: cloch.anonKey } })
  const begun = performance.now()
  await cloch.stop()
  assert.ok(performance.now() - begun < 12_000)
})

test('an invalid collector URL stops the start', async () => {
  for (const [line, said] of [
    ['otlp_endpoint = "ftp://a.example"', /telemetry.otlp_endpoint.*http or https/],
    ['sample = 1.5', /telemetry.sample.*from 0 to 1/],
    ['otlp_endpint = "http://a.example"', /did you mean otlp_endpoint/],
  ]) {
    const place = await makeProject({ from: null, files: { 'cloch.toml': `[telemetry]\n${line}\n` } })
    await assert.rejects(start(place), said)
  }
})
