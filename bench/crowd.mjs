/**
 * Storage: runs rounds of many concurrent uploads, some of them by clients on slow connections. Measures the program's memory during and after
 * the uploads. Downloads some of the files and compares their content.
 *
 * Run it against a release build: CLOCH_TEST_PROGRAM=target/release/cloch node bench/crowd.mjs
 *   [--uploads 200] [--megabytes 10] [--rounds 8] [--slow 0]   number of additional clients that send 64 KB a second all the time
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'

import { sleep, startProject } from '../tests/support/program.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const [uploads, size, rounds, slow] = [option('uploads', 200), option('megabytes', 10) * 1024 * 1024, option('rounds', 8), option('slow', 0)]

const cloch = await startProject({ from: null, environment: { CLOCH_LOG: 'warn' } })
const bearer = { authorization: `Bearer ${cloch.serviceKey}` }
const held = (what = 'VmRSS') => Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${cloch.child.pid}/status`, 'utf8'))[1]) / 1024
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
const noise = randomBytes(size)
const chunk = 64 * 1024

/** Uploads one file. Resolves to the status of the response. */
const upload = (name, number, pause = 0) =>
  new Promise((done, failed) => {
    const headers = { ...bearer, 'content-type': 'application/octet-stream', 'content-length': size, 'x-upsert': 'true' }
    const sent = request(`${cloch.url}/storage/v1/object/crowd/${name}`, { method: 'POST', headers, agent }, (answer) => {
      answer.resume()
      answer.once('end', () => done(answer.statusCode))
    })
    sent.once('error', failed)
    Readable.from(pieces(number, pause)).on('error', failed).pipe(sent)
  })

/** Returns the content of a file as a stream. No two files have the same content. */
async function* pieces(number, pause) {
  const first = Buffer.from(noise.subarray(0, chunk))
  first.writeUInt32LE(number)
  for (let at = 0; at < size; at += chunk) {
    if (pause) await sleep(pause)
    yield at ? noise.subarray(at, at + chunk) : first
  }
}

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
const expected = (number) => {
  const bytes = Buffer.from(noise)
  bytes.writeUInt32LE(number)
  return digest(bytes)
}

let over = false
/** A client on a slow connection. It repeats its upload. */
async function uploadSlowly(client) {
  while (!over) await upload(`slow${client}`, client, 1000).catch(() => {})
}

try {
  await fetch(`${cloch.url}/storage/v1/bucket`, { method: 'POST', headers: { ...bearer, 'content-type': 'application/json' }, body: JSON.stringify({ name: 'crowd', public: true }) })
  console.log(`memory idle: ${held().toFixed(0)} MB`)
  for (let client = 0; client < slow; client += 1) uploadSlowly(client)
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    const results = await Promise.allSettled(Array.from({ length: uploads }, (_, at) => upload(`file${at}`, round * uploads + at)))
    const took = (performance.now() - begun) / 1000
    const failed = results.filter((result) => result.value !== 200)
    let wrong = 0
    for (let at = 0; at < uploads; at += 20) {
      const answer = await fetch(`${cloch.url}/storage/v1/object/public/crowd/file${at}?round=${round}`)
      if (digest(Buffer.from(await answer.arrayBuffer())) !== expected(round * uploads + at)) wrong += 1
    }
    console.log(`round ${round + 1}: ${(uploads / took).toFixed(0)}/s, ${failed.length} failed, ${wrong} wrong, ${held().toFixed(0)} MB`)
    if (failed.length) console.log(failed[0])
  }
  over = true
  agent.destroy()
  await sleep(15_000)
  console.log(`memory 15 s later: ${held().toFixed(0)} MB, at most ${held('VmHWM').toFixed(0)} MB`)
} finally {
  over = true
  agent.destroy()
  await cloch.remove()
}
process.exit(0)
