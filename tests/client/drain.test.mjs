/** The log drain: which log lines arrive at an HTTP server. The drain does not slow requests down, and does not log its own requests endlessly. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { startCollector } from '../support/otlp.mjs'
import { makeProject, sleep, start } from '../support/program.mjs'

let collector, cloch
before(async () => {
  collector = await startCollector()
  const files = { 'cloch.toml': `[telemetry]\nlog_drain = "${collector.url}/lines?of=test"\nlog_drain_authorization = "env(DRAIN_SECRET)"\n` }
  // This filter includes the HTTP client's log lines about the drain's own requests.
  const environment = { DRAIN_SECRET: 'Bearer of-the-drain', CLOCH_LOG: 'info,hyper_util=trace,reqwest=trace,hyper=trace' }
  cloch = await start(await makeProject({ from: null, files }), { environment })
})
after(async () => {
  await cloch?.remove()
  collector?.stop()
})

const lines = () => collector.requests.flatMap(({ body }) => body.toString().trimEnd().split('\n').map((line) => JSON.parse(line)))
const ask = (id) => fetch(`${cloch.url}/health`, { headers: id ? { 'x-request-id': id } : {} })
const counter = async (name) => Number((await (await fetch(`${cloch.url}/metrics`)).text()).match(new RegExp(`^${name} (\\d+)`, 'm'))[1])

async function lineOf(id) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const found = lines().find((line) => line.id === id)
    if (found) return found
    await sleep(50)
  }
  return assert.fail(`${id} did not arrive`)
}

test('lines are sent as JSON, many per request, with the secret', async () => {
  await ask('first')
  const line = await lineOf('first')
  assert.deepEqual([line.message, line.level, line.status], ['http: request answered', 'INFO', 200])
  const { url, headers } = collector.requests[0]
  assert.deepEqual([url, headers['content-type'], headers.authorization], ['/lines?of=test', 'application/x-ndjson', 'Bearer of-the-drain'])
  await sleep(1500)
  const [before_, begun] = [collector.requests.length, performance.now()]
  await Promise.all(Array.from({ length: 200 }, () => ask()))
  await ask('after-many')
  await lineOf('after-many')
  // Lines wait for a second, so a busy machine sends a request for each second that the 200 lines take.
  const [requests, seconds] = [collector.requests.length - before_, (performance.now() - begun) / 1000]
  assert.ok(requests <= 3 + seconds, `${requests} requests in ${seconds} s`)
  assert.ok(!cloch.output().includes('of-the-drain'))
})

test('the sending of logs causes no further lines: an idle server sends nothing, even if all lines of the HTTP client are logged', async () => {
  assert.match(cloch.output(), /starting new connection|pooling idle connection/, 'they are in the log')
  await sleep(2500)
  const before_ = collector.requests.length
  await sleep(5000)
  const more = collector.requests.length - before_
  assert.ok(more <= 1, `${more} requests of an idle server`)
})

test('an outage loses no lines that fit into the queue, causes one log line, and none of its own lines are sent', async () => {
  collector.answer = () => 503
  await ask('during')
  for (let attempt = 0; attempt < 100 && !/collector unavailable/.test(cloch.output()); attempt += 1) await sleep(50)
  await sleep(2500)
  assert.equal(cloch.output().match(/collector unavailable/g).length, 1)
  collector.answer = () => 200
  await lineOf('during')
  await ask('again')
  await lineOf('again')
  assert.ok(lines().every((line) => !/collector/.test(line.message)))
})

test('lines that do not fit into the queue are lost and counted, and requests do not wait', async () => {
  collector.answer = () => 0
  let longest = 0
  for (let round = 0; round < 120; round += 1) {
    const begun = performance.now()
    const all = await Promise.all(Array.from({ length: 250 }, () => ask('x'.repeat(120))))
    assert.ok(all.every((response) => response.status === 200))
    longest = Math.max(longest, performance.now() - begun)
    if ((await counter('cloch_drained_lines_dropped_total')) > 0) break
  }
  assert.ok((await counter('cloch_drained_lines_dropped_total')) > 0)
  assert.ok(longest < 8000, `${longest} ms for 250 requests: one waits ten seconds for the server`)
  assert.ok((await counter('cloch_drained_lines_total')) > 200)
})

test('a batch is sent once to a server that refuses it', async () => {
  let refusals = 0
  collector.answer = () => ((refusals += 1), 401)
  const before_ = await counter('cloch_drained_lines_dropped_total')
  for (let attempt = 0; attempt < 400 && (await counter('cloch_drained_lines_dropped_total')) === before_; attempt += 1) await sleep(100)
  assert.match(cloch.output(), /collector refused the data/)
  assert.ok(refusals >= 1)
})

test('the last lines are sent before the program ends', async () => {
  collector.answer = () => 200
  await ask('the-last')
  await cloch.stop()
  assert.ok(lines().some((line) => line.id === 'the-last'))
  assert.ok(lines().some((line) => line.message === 'server: stopped'))
})
