/**
 * Restarts the two nodes behind HAProxy one after the other. If a node refuses a connection, HAProxy does not try the other node. Meanwhile
 * requests, long uploads and sockets continue. Fails if a request fails, if an upload is lost or its content differs, or if a socket does not
 * reconnect by itself. Usage: node tests/cluster/rolling.mjs [ROUNDS [SHUTDOWN_DELAY]]
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'

import { createClient } from '@supabase/supabase-js'

import { sleep } from '../support/program.mjs'
import { startCluster } from './cluster.mjs'

const rounds = Number(process.argv[2] ?? 3)
const delay = Number(process.argv[3] ?? 3)
const [WORKERS, REQUESTS_A_SECOND, UPLOADS, SOCKETS] = [50, 500, 4, 20]
const UPLOAD_CHUNKS = 40
const CHUNK_PAUSE = 250
const say = (text) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

// HAProxy checks the nodes every 500 ms.
const cluster = await startCluster({ check: '/health', retries: 0, server: `shutdown_delay = ${delay}` })
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => cluster.stop().then(() => process.exit(130)))
say(`the cluster is whole: ${cluster.folder}`)
const key = cluster.nodes[0].serviceKey
const service = createClient(cluster.url, key, { auth: { persistSession: false } })
assert.equal((await service.storage.createBucket('files')).error, null)

const agent = new Agent({ keepAlive: true, maxSockets: 200 })
/** Sends one request and does not repeat it. `chunks` are sent one after another, with a pause. */
const send = (method, path, { body, chunks, pause } = {}) =>
  new Promise((done) => {
    const headers = { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'resolution=merge-duplicates' }
    if (chunks) Object.assign(headers, { 'content-type': 'application/octet-stream', 'content-length': chunks.reduce((sum, { length }) => sum + length, 0) })
    const sent = request(`${cluster.url}${path}`, { method, agent, headers }, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => done({ status: answer.statusCode, body: Buffer.concat(parts) }))
      answer.on('error', ({ message }) => done({ status: 0, body: message }))
    })
    sent.on('error', ({ message }) => done({ status: 0, body: message }))
    if (!chunks) return sent.end(body && JSON.stringify(body))
    void (async () => {
      for (const chunk of chunks) {
        sent.write(chunk)
        await sleep(pause)
      }
      sent.end()
    })()
  })

const failures = []
const count = { requests: 0, uploads: 0 }
let goesOn = true
const record = (what, { status, body }) => {
  if (status < 200 || status > 299) failures.push(`${what}: ${status} ${String(body).slice(0, 200)}`)
}

async function work(worker) {
  for (let turn = 0; goesOn; turn += 1) {
    const begun = performance.now()
    const id = `row-${worker}`
    const answer = turn % 5 === 0
      ? await send('POST', '/rest/v1/written', { body: { id, value: turn } })
      : await send('GET', `/rest/v1/written?id=eq.${id}`)
    record(turn % 5 === 0 ? 'write' : 'read', answer)
    count.requests += 1
    await sleep(Math.max(0, WORKERS * 1000 / REQUESTS_A_SECOND - (performance.now() - begun)))
  }
}

async function upload(worker) {
  for (let turn = 0; goesOn; turn += 1) {
    const chunks = Array.from({ length: UPLOAD_CHUNKS }, () => randomBytes(20_000))
    const path = `/storage/v1/object/files/${worker}-${turn}`
    record('upload', await send('POST', path, { chunks, pause: CHUNK_PAUSE }))
    const stored = await send('GET', path)
    record('download', stored)
    const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
    if (digest(stored.body) !== digest(Buffer.concat(chunks))) failures.push(`${path} differs`)
    count.uploads += 1
  }
}

const received = new Map()
const clients = Array.from({ length: SOCKETS }, () => createClient(cluster.url, cluster.nodes[0].anonKey, { auth: { persistSession: false } }))
await Promise.all(clients.map((client, index) => new Promise((joined, failed) => {
  client.channel('restarts').on('broadcast', { event: 'word' }, ({ payload }) => received.set(index, payload.word))
    .subscribe((status, error) => (status === 'SUBSCRIBED' ? joined() : error && failed(error)))
})))

const workers = [...Array.from({ length: WORKERS }, (_, worker) => work(worker)), ...Array.from({ length: UPLOADS }, (_, worker) => upload(worker))]
let failure
try {
  await sleep(2000)
  for (let round = 0; round < rounds; round += 1) {
    for (const index of [0, 1]) {
      const before = count.requests
      const begun = performance.now()
      const { code } = await cluster.nodes[index].stop()
      assert.equal(code, 0)
      await cluster.startNode(index)
      // Waits until HAProxy has noticed that the node stops.
      await sleep(1500)
      const seconds = (performance.now() - begun) / 1000
      say(`round ${round + 1}: node ${index + 1} in ${seconds.toFixed(1)} s, ${((count.requests - before) / seconds).toFixed(0)} requests/s, ${failures.length} failed so far`)
    }
  }
  goesOn = false
  await Promise.all(workers)
  // realtime-js reconnects by itself: after one second at first, and later after at most ten seconds.
  for (let waited = 0; received.size < SOCKETS; waited += 1) {
    assert.ok(waited < 60, `${SOCKETS - received.size} sockets did not come back`)
    await service.channel('restarts').httpSend('word', { word: 'all' })
    await sleep(500)
  }
  say(`${rounds * 2} restarts: ${count.requests} requests and ${count.uploads} uploads, ${failures.length} failed; ${received.size} of ${SOCKETS} sockets came back`)
  assert.deepEqual(failures.slice(0, 20), [])
} catch (error) {
  failure = error
} finally {
  goesOn = false
  if (failure) {
    console.error(failure)
    for (const node of cluster.nodes) console.error(node.output().split('\n').slice(-15).join('\n'))
  }
  await Promise.all(clients.map((client) => client.removeAllChannels()))
  await cluster.stop()
}
process.exit(failure ? 1 : 0)
