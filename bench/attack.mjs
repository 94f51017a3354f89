/**
 * Two hundred attackers with the public key and twenty ordinary clients use the club's project. Measures the latency of the ordinary clients
 * with and without the attack, the memory of the program and of PostgreSQL, and the responses to the attackers.
 *
 *   CLOCH_TEST_PROGRAM=target/release/cloch node bench/attack.mjs [--seconds 600] [--attackers 200] [--clients 20]
 *   ATTACK='nested mail' runs only this kind of attack.
 *
 * All clients use a trusted proxy, and each client has its own address. An attacker sends each request as soon as the previous one is answered.
 * The attackers run in a process of the lowest priority. Otherwise they would take processor time from the server on the same machine.
 */
import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import http from 'node:http'

import { startProject } from '../tests/support/program.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const seconds = option('seconds', 600)
const attackers = option('attackers', 200)
const clients = option('clients', 20)
const THINK_TIME_MS = 100
const MB = 1024 * 1024

const send = (url, { method = 'GET', headers = {}, body, agent, address } = {}) =>
  new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers: { ...headers, 'x-forwarded-for': address }, agent }, (response) => {
      let bytes = 0
      response.on('data', (chunk) => (bytes += chunk.length))
      response.on('end', () => resolve({ status: response.statusCode, bytes }))
      response.on('error', reject)
    })
    request.setTimeout(60_000, () => request.destroy(new Error('no answer for 60 s')))
    request.on('error', reject)
    request.end(body)
  })

/** The most expensive known requests. Each is a function of the iteration's number. */
const attacks = (key) => {
  const json = { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const mail = (message) => JSON.stringify({ to: 'club@example.org', subject: 'Hello', message })
  const entry = { entrant_name: 'A', age: 12, parent_guardian_email: 'p@example.org', category: 'Junior', artwork_title: 'T' }
  const entries = JSON.stringify(Array.from({ length: 20_000 }, () => entry))
  const embeds = Array.from({ length: 800 }, (_, index) => `y${index}:schools(id)`).join(',')
  return {
    'nested header': () => ({
      path: `/storage/v1/object/youth-awards-submissions/artist/x/1767225600123-x.png`,
      method: 'POST',
      headers: { ...json, 'content-type': 'image/png', 'x-robots-tag': 'a:'.repeat(12_000) },
      body: 'x',
    }),
    'nested mail': () => ({ path: '/functions/v1/send-email', method: 'POST', headers: json, body: mail(`${'<div>'.repeat(40_000)}x`) }),
    'many embeds': (turn) => ({ path: `/rest/v1/young_artist_entries?select=z${turn}:schools(id),${embeds}`, headers: json }),
    'many rows': () => ({ path: '/rest/v1/young_artist_entries', method: 'POST', headers: json, body: entries }),
    'password guesses': (turn) => ({
      path: '/functions/v1/validate-judging-password',
      method: 'POST',
      headers: json,
      body: JSON.stringify({ password: `guess ${turn}` }),
    }),
  }
}

if (process.argv.includes('--attack')) await attack()
else await measure()

async function attack() {
  const [url, key] = [process.env.ATTACKED_URL, process.env.ATTACKED_KEY]
  const kinds = Object.entries(attacks(key)).filter(([name]) => [undefined, name].includes(process.env.ATTACK))
  const seen = {}
  const end = performance.now() + seconds * 1000
  const one = async (number) => {
    const [name, make] = kinds[number % kinds.length]
    const address = `198.18.${Math.floor(number / 250)}.${(number % 250) + 1}`
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = number; performance.now() < end; turn += attackers) {
      const { path, ...rest } = make(turn)
      const began = performance.now()
      const outcome = await send(url + path, { ...rest, agent, address }).then((answer) => answer.status, (error) => error.code ?? error.message)
      const entry = ((seen[name] ??= {})[outcome] ??= { count: 0, worst: 0 })
      entry.count += 1
      entry.worst = Math.max(entry.worst, performance.now() - began)
      // The server has refused the request before it has read the body, and has closed the connection. The pause replaces the network delay of
      // opening a new connection.
      if (typeof outcome === 'string') await new Promise((resolve) => setTimeout(resolve, 20))
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: attackers }, (_, number) => one(number)))
  process.stdout.write(JSON.stringify(seen))
}

/**
 * Returns the resident bytes of a process without shared memory. PostgreSQL's processes share their buffers, which must not be counted several times.
 */
function privateMemory(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return ['Private_Clean', 'Private_Dirty'].reduce((sum, name) => sum + Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)[1]) * 1024, 0)
}
function resident(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024
}
function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
}
function postgresMemory(cloch) {
  let sum = 0
  const threads = readdirSync(`/proc/${cloch}/task`).flatMap((thread) => readFileSync(`/proc/${cloch}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean))
  for (const postmaster of threads) {
    for (const pid of [postmaster, ...childrenOf(postmaster)]) {
      try {
        sum += privateMemory(pid)
      } catch {
        // The process has already ended.
      }
    }
  }
  return sum
}

async function measure() {
  const settings = readFileSync(new URL('../supabase-config/cloch.toml', import.meta.url), 'utf8')
  const cloch = await startProject({ seed: true, files: { 'cloch.toml': `${settings}\n[server]\ntrusted_proxies = ["127.0.0.0/8"]\n` } })
  let failed = true
  try {
    const service = { apikey: cloch.serviceKey, authorization: `Bearer ${cloch.serviceKey}` }
    const anon = { apikey: cloch.anonKey, authorization: `Bearer ${cloch.anonKey}` }
    const signed = await fetch(`${cloch.url}/storage/v1/object/list/youth-awards-submissions`, {
      method: 'POST',
      headers: { ...service, 'content-type': 'application/json' },
      body: '{"prefix":"artist/anya-kowalska","limit":1}',
    })
    const [file] = await signed.json()
    const ordinary = [
      { path: '/', headers: {} },
      { path: '/rest/v1/young_artist_entries?select=id,entrant_name,artwork_title&order=created_at&limit=50', headers: service },
      { path: `/storage/v1/object/authenticated/youth-awards-submissions/artist/anya-kowalska/${file.name}`, headers: service },
      { path: '/auth/v1/settings', headers: anon },
    ]
    const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
    const run = async (duration) => {
      const latencies = []
      const wrong = new Map()
      const end = performance.now() + duration * 1000
      const client = async (number) => {
        await new Promise((resolve) => setTimeout(resolve, (number / clients) * THINK_TIME_MS))
        for (let turn = number; performance.now() < end; turn += 1) {
          const { path, headers } = ordinary[turn % ordinary.length]
          const began = performance.now()
          const outcome = await send(cloch.url + path, { headers, agent, address: `203.0.113.${number + 1}` }).then((answer) => answer.status, (error) => error.code ?? error.message)
          latencies.push(performance.now() - began)
          if (outcome !== 200) wrong.set(`${outcome} for ${path}`, (wrong.get(`${outcome} for ${path}`) ?? 0) + 1)
          await new Promise((resolve) => setTimeout(resolve, THINK_TIME_MS))
        }
      }
      await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
      latencies.sort((a, b) => a - b)
      const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
      return { count: latencies.length, median: at(0.5), p99: at(0.99), worst: at(1), wrong }
    }
    await run(5)
    const alone = await run(Math.min(60, seconds))
    const peak = { cloch: 0, postgres: 0 }
    const hasEnded = () => cloch.child.exitCode !== null || cloch.child.signalCode !== null
    const sampler = setInterval(() => {
      if (hasEnded()) return
      peak.cloch = Math.max(peak.cloch, resident(cloch.child.pid))
      peak.postgres = Math.max(peak.postgres, postgresMemory(cloch.child.pid))
    }, 1000)
    const attacker = spawn('nice', ['-n', '19', process.execPath, import.meta.filename, '--attack', '--seconds', seconds, '--attackers', attackers].map(String), {
      env: { ...process.env, ATTACKED_URL: cloch.url, ATTACKED_KEY: cloch.anonKey },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let report = ''
    attacker.stdout.on('data', (chunk) => (report += chunk))
    const ended = new Promise((resolve) => attacker.once('exit', resolve))
    const beside = await run(seconds)
    await ended
    clearInterval(sampler)
    const row = (name, { count, median, p99, worst, wrong }) => {
      console.log(`${name.padEnd(14)} ${String(count).padStart(7)} requests   median ${median.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms   worst ${worst.toFixed(1)} ms`)
      for (const [what, times] of wrong) console.log(`  WRONG ${times} x ${what}`)
    }
    row('alone', alone)
    row('under attack', beside)
    console.log(`p99 under attack: ${(beside.p99 / alone.p99).toFixed(2)} times that alone`)
    console.log(`memory at most: cloch ${(peak.cloch / MB).toFixed(0)} MB, PostgreSQL ${(peak.postgres / MB).toFixed(0)} MB; the program ${hasEnded() ? `ENDED with ${cloch.child.signalCode ?? cloch.child.exitCode}` : 'lives'}`)
    for (const [name, outcomes] of Object.entries(JSON.parse(report))) {
      const words = Object.entries(outcomes).map(([outcome, { count, worst }]) => `${outcome} ${count} times (worst ${worst.toFixed(0)} ms)`)
      console.log(`  ${name.padEnd(18)} ${words.join(', ')}`)
    }
    failed = hasEnded() || beside.wrong.size > 0
    agent.destroy()
  } finally {
    await cloch.remove()
  }
  process.exitCode = failed ? 1 : 0
}
