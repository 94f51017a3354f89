// 256 clients use the whole program for some minutes. In the middle, PostgreSQL is stopped for some time. PostgreSQL allows 43 connections, of
// which the table REST gets 10. While PostgreSQL runs, every request must succeed. While PostgreSQL is stopped, the only other allowed response is
// 503. The memory must not grow after the first minute. Usage: node bench/soak.mjs [--seconds 300] [--clients 256]

import { readFileSync } from 'node:fs'

import { startDatabase } from '../tests/differential/database.mjs'
import { token } from '../tests/differential/servers.mjs'
import { startProgram } from './program.mjs'
import http from 'node:http'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return Number(at < 0 ? fallback : process.argv[at + 1])
}
const seconds = option('seconds', 300)
const clients = option('clients', 256)
const away = { from: seconds / 2, for: 5 }

const authorization = `Bearer ${token({ role: 'authenticated', sub: 'admin', app_role: 'admin', exp: 4102444800 })}`
const requests = [
  ['GET', '/judged?id=eq.500', 200],
  ['GET', '/judged?select=id,title,score,state,created_at&order=id&limit=100', 200],
  ['GET', '/judged?select=id,school:schools(name),marks(points)&order=id&limit=20', 200],
  ['POST', '/journal', 201, '{"label":"x","amount":5}'],
  ['POST', '/rpc/add_up', 200, '{"a":1,"b":2}'],
  ['GET', '/schools?select=id&limit=1', 206, undefined, { prefer: 'count=exact' }],
  ['GET', '/judged?id=eq.x', 400],
  ['GET', '/judgedd', 404],
]
const memory = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
const send = (port, [method, path, , body, headers]) =>
  new Promise((resolve, reject) => {
    const all = { authorization, 'content-type': 'application/json', ...headers }
    const request = http.request({ host: '127.0.0.1', port, method, path: `/rest/v1${path}`, agent, headers: all }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })

const database = await startDatabase({ schemas: ['../../bench/schema.sql'], settings: [['max_connections', 43]] })
let failed = true
try {
  const cloch = await startProgram(database, { log: 'warn' })
  try {
    failed = await soak(cloch)
  } finally {
    agent.destroy()
    await cloch.stop()
  }
} finally {
  await database.stop()
}
process.exit(failed ? 1 : 0)

async function soak(cloch) {
  const start = performance.now()
  const now = () => (performance.now() - start) / 1000
  // True while status 503 is allowed: from the stop of the database until a moment after its restart.
  let isAway = false
  const seen = { asked: 0, unavailable: 0, wrong: new Map() }
  const client = async (number) => {
    for (let turn = number; now() < seconds; turn++) {
      const one = requests[turn % requests.length]
      const wasAway = isAway
      const status = await send(cloch.port, one).catch((error) => error.code)
      seen.asked += 1
      if (status === one[2]) continue
      if (status === 503 && (wasAway || isAway)) {
        seen.unavailable += 1
        // Waits as a client does that respects Retry-After.
        await new Promise((resolve) => setTimeout(resolve, 200))
      } else {
        const what = `${status} for ${one[0]} ${one[1]}`
        seen.wrong.set(what, (seen.wrong.get(what) ?? 0) + 1)
      }
    }
  }
  const samples = []
  const sampler = setInterval(() => samples.push([now(), memory(cloch.pid)]), 1000)
  const outage = (async () => {
    await new Promise((resolve) => setTimeout(resolve, away.from * 1000))
    isAway = true
    await database.halt()
    await new Promise((resolve) => setTimeout(resolve, away.for * 1000))
    await database.return()
    const returned = now()
    while ((await send(cloch.port, requests[0]).catch(() => 0)) !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
    console.log(`served again ${(now() - returned).toFixed(2)} s after PostgreSQL was back`)
    await new Promise((resolve) => setTimeout(resolve, 2000))
    isAway = false
  })()
  await Promise.all([outage, ...Array.from({ length: clients }, (_, number) => client(number))])
  clearInterval(sampler)
  const at = (second) => samples.find(([time]) => time >= second)?.[1] ?? samples.at(-1)[1]
  const settled = Math.min(60, seconds / 4)
  const peak = Math.max(...samples.map(([, megabytes]) => megabytes))
  const growth = samples.at(-1)[1] - at(settled)
  console.log(`${seen.asked} requests in ${seconds} s, ${(seen.asked / seconds).toFixed(0)}/s; ${seen.unavailable} times 503 while PostgreSQL was away`)
  console.log(`memory: ${at(2).toFixed(1)} MB after 2 s, ${at(settled).toFixed(1)} MB after ${settled} s, ${samples.at(-1)[1].toFixed(1)} MB at the end, peak ${peak.toFixed(1)} MB`)
  for (const [what, count] of seen.wrong) console.log(`WRONG ${count} x ${what}`)
  return seen.wrong.size > 0 || growth > 8
}
