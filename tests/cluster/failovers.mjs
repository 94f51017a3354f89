/**
 * Takes parts of the cluster down, one after another. Meanwhile, writers record through supabase-js what was acknowledged. Fails if an acknowledged
 * write is lost, or if clients see anything other than status 503 or a broken connection. Usage: node tests/cluster/failovers.mjs [ROUNDS]
 */
import assert from 'node:assert/strict'

import { createClient } from '@supabase/supabase-js'

import { sleep } from '../support/program.mjs'
import { processesOf, signal, startCluster } from './cluster.mjs'

const rounds = Number(process.argv[2] ?? 12)
const WRITERS = 8
const say = (text) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

const cluster = await startCluster()
say(`the cluster is whole: ${cluster.folder}`)
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => cluster.stop().then(() => process.exit(130)))
const service = createClient(cluster.url, cluster.nodes[0].serviceKey, { auth: { persistSession: false } })

const acknowledged = new Map()
const seen = new Map()
const unexpected = []
let lastAcknowledged = performance.now()
let longestGap = 0
let goesOn = true
let next = 0

async function write() {
  while (goesOn) {
    const row = { id: `row-${(next += 1)}`, value: next }
    for (;;) {
      const { error, status } = await service.from('written').upsert(row)
      seen.set(status, (seen.get(status) ?? 0) + 1)
      if (!error) break
      // Status 0: the connection has broken. Status 502 or 503 from HAProxy: no node is available, or the node has ended during the request.
      if (![0, 502, 503].includes(status)) unexpected.push(`${status} ${JSON.stringify(error)}`)
      await sleep(200)
    }
    acknowledged.set(row.id, row.value)
    longestGap = Math.max(longestGap, performance.now() - lastAcknowledged)
    lastAcknowledged = performance.now()
    await sleep(10)
  }
}
const writers = Array.from({ length: WRITERS }, write)

/** The faults. Each function takes a part of the cluster down and returns a function that starts this part again. */
const faults = {
  'kill -9 of the primary': async ({ primary }) => {
    signal(processesOf(primary), 'SIGKILL')
  },
  'the primary and its Patroni are killed': async ({ primary }) => {
    cluster.children.get(primary.name).kill('SIGKILL')
    signal(processesOf(primary), 'SIGKILL')
    return () => cluster.startMember(primary)
  },
  'the primary and its Patroni freeze': async ({ primary }) => {
    const frozen = [cluster.children.get(primary.name).pid, ...processesOf(primary)]
    signal(frozen, 'SIGSTOP')
    return () => signal(frozen, 'SIGCONT')
  },
  'kill -9 of the first node': async () => {
    await cluster.nodes[0].kill()
    return () => cluster.startNode(0)
  },
  'kill -9 of the second node': async () => {
    await cluster.nodes[1].kill()
    return () => cluster.startNode(1)
  },
  'both nodes are restarted in turn': async () => {
    for (const index of [0, 1]) {
      await cluster.nodes[index].stop()
      await cluster.startNode(index)
      await sleep(1500)
    }
  },
}

const gaps = []
let failure
try {
  for (let round = 0; round < rounds; round += 1) {
    const [name, fault] = Object.entries(faults)[round % Object.keys(faults).length]
    const pair = await cluster.whole()
    await sleep(1000)
    longestGap = 0
    const before = acknowledged.size
    const bringBack = await fault(pair)
    const begun = performance.now()
    // Waits for a failover, and until writes succeed again.
    await sleep(8000)
    while (performance.now() - lastAcknowledged > 500 && performance.now() - begun < 90_000) await sleep(100)
    await bringBack?.()
    const after = await cluster.whole()
    gaps.push(longestGap)
    const moved = after.primary.name === pair.primary.name ? 'stays' : 'moved'
    say(`round ${round + 1}: ${name}: unavailable ${(longestGap / 1000).toFixed(1)} s, ${acknowledged.size - before} acknowledged, primary ${moved}`)
  }
  goesOn = false
  await Promise.all(writers)
  const stored = new Map()
  for (let from = 0; ; from += 1000) {
    const { data, error } = await service.from('written').select('id, value').order('id').range(from, from + 999)
    assert.equal(error, null)
    for (const { id, value } of data) {
      assert.ok(!stored.has(id), `${id} is there twice`)
      stored.set(id, value)
    }
    if (data.length < 1000) break
  }
  const lost = [...acknowledged].filter(([id, value]) => stored.get(id) !== value)
  gaps.sort((a, b) => a - b)
  const p95 = gaps[Math.ceil(gaps.length * 0.95) - 1] / 1000
  say(`${gaps.length} rounds, ${acknowledged.size} acknowledged, ${stored.size} stored, ${lost.length} lost; unavailable: median ${(gaps[Math.floor(gaps.length / 2)] / 1000).toFixed(1)} s, p95 ${p95.toFixed(1)} s, longest ${(gaps.at(-1) / 1000).toFixed(1)} s; statuses ${JSON.stringify([...seen])}`)
  assert.deepEqual(lost, [])
  assert.deepEqual(unexpected, [])
  assert.ok(p95 <= 15, `unavailable for ${p95} s at the 95th percentile`)
} catch (error) {
  failure = error
} finally {
  goesOn = false
  if (failure) {
    console.error(failure)
    if (unexpected.length) console.error(unexpected.slice(0, 20))
    for (const node of cluster.nodes) console.error(node.output().split('\n').slice(-15).join('\n'))
  }
  await cluster.stop()
}
process.exit(failure ? 1 : 0)
