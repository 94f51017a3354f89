/**
 * Auth: measures GET /user, token refreshes and password sign-ins per second, the part of a sign-in's processor time that the hash of the
 * password takes, and how many simultaneous sign-ins affect other requests.
 *
 *   node bench/auth.mjs [--before PROGRAM] [--seconds S] [--rounds N]
 *
 *   --before PROGRAM   another build of Cloch: both builds are measured alternately, and the ratio of each round is printed
 *
 * Run it against a release build: CLOCH_TEST_PROGRAM=target/release/cloch.
 */
import { Agent, request } from 'node:http'
import { readFileSync } from 'node:fs'

import { binary, startProject } from '../tests/support/program.mjs'
import { record } from './record.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const [seconds, rounds, before] = [Number(option('seconds', 4)), Number(option('rounds', 5)), option('before')]
const settings = '\n[auth]\nsite_url = "http://127.0.0.1"\n[auth.email]\nenable_confirmations = true\n'
const password = 'a lighthouse on the Clyde'
/** The bcrypt hash of the password above with the lowest cost. It takes 1/64 of the usual work. */
const cheapHash = '$2a$04$sB8jyMWRWgnaPkc8donexeEGidxeC0V8dyTKbUmNyu7ylqm3r7Lv.'
const cheap = 'cheap@club.example'
const usual = 'a@club.example'

/** Starts the program and creates two users. Returns functions that send requests to the program. */
async function start(program) {
  const cloch = await startProject({ from: null, change: (config) => config + settings, program })
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })

  /** Sends one request. Returns its response and its duration in milliseconds. */
  const call = (method, path, { token = cloch.anonKey, body } = {}) =>
    new Promise((done, failed) => {
      const begun = performance.now()
      const text = body && JSON.stringify(body)
      const headers = { apikey: cloch.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = request(`${cloch.url}/auth/v1${path}`, { method, agent, headers }, (answer) => {
        let all = ''
        answer.on('data', (chunk) => (all += chunk))
        answer.on('end', () => {
          if (answer.statusCode !== 200) return failed(new Error(`${path}: ${answer.statusCode} ${all}`))
          done({ body: JSON.parse(all), took: performance.now() - begun })
        })
      })
      sent.on('error', failed)
      sent.end(text)
    })
  const user = (email, secret) => call('POST', '/admin/users', { token: cloch.serviceKey, body: { email, email_confirm: true, ...secret } })
  await user(usual, { password })
  await user(cheap, { password_hash: cheapHash })
  const signIn = async (email) => (await call('POST', '/token?grant_type=password', { body: { email, password } })).body
  const sessions = await Promise.all(Array.from({ length: 16 }, () => signIn(usual)))
  /** Returns the processor time that the program has used, in seconds. */
  const used = () => {
    const fields = readFileSync(`/proc/${cloch.child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  }
  return { cloch, call, signIn, sessions, used, refreshes: sessions.map((session) => session.refresh_token) }
}

/** Runs `work` in a loop for some seconds with this many concurrent clients. Returns the number of runs per second. */
async function rate(clients, work) {
  const begun = performance.now()
  const end = begun + seconds * 1000
  let count = 0
  await Promise.all(Array.from({ length: clients }, async (_, client) => {
    while (performance.now() < end) {
      await work(client)
      count += 1
    }
  }))
  return count / ((performance.now() - begun) / 1000)
}

const measures = {
  'GET /user': (one) => rate(16, (client) => one.call('GET', '/user', { token: one.sessions[client].access_token })),
  'token refreshes': (one) =>
    rate(16, async (client) => {
      const { body } = await one.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: one.refreshes[client] } })
      one.refreshes[client] = body.refresh_token
    }),
  'password sign-ins': (one) => rate(4, () => one.signIn(usual)),
  'sign-ins, a cheap hash': (one) => rate(4, () => one.signIn(cheap)),
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) / 2)]
const percentile = (list, share) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * share)].toFixed(1)

/** Computes which part of a sign-in's processor time the hash takes. */
async function hashShare(one) {
  const cost = async (email, times) => {
    const from = one.used()
    for (let time = 0; time < times; time += 1) await one.signIn(email)
    return (one.used() - from) / times
  }
  const [whole, small] = [await cost(usual, 40), await cost(cheap, 300)]
  const hash = (whole - small) / (1 - 1 / 64)
  console.log(`a password sign-in        ${(whole * 1000).toFixed(1)} ms of processor time, ${((hash / whole) * 100).toFixed(1)} % of it the hash`)
}

/** Measures the durations of refreshes and of GET /user while 200 sign-ins run. */
async function besideBurst(one) {
  const session = await one.signIn(usual)
  const burst = Array.from({ length: 200 }, () => one.signIn(usual))
  const others = []
  let done = false
  Promise.allSettled(burst).then(() => (done = true))
  for (let token = session.refresh_token; !done;) {
    const turn = await one.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } })
    token = turn.body.refresh_token
    others.push(turn.took, (await one.call('GET', '/user', { token: session.access_token })).took)
  }
  console.log(`beside 200 sign-ins       p50 ${percentile(others, 0.5)} ms, p99 ${percentile(others, 0.99)} ms (refresh and GET /user, ${others.length} requests)`)
}

const programs = before ? [binary, before] : [binary]
const running = []
try {
  for (const program of programs) running.push(await start(program))
  for (const [name, measure] of Object.entries(measures)) {
    const rates = running.map(() => [])
    for (let round = 0; round < (before ? rounds : 1); round += 1) {
      // The program that runs first has fewer cached data. Therefore the order changes with each round.
      const order = running.map((_, at) => at)
      if (round % 2) order.reverse()
      for (const at of order) rates[at].push(await measure(running[at]))
    }
    const [own, other] = rates
    const ratios = other?.map((value, round) => own[round] / value)
    const beside = ratios ? `, ${median(ratios).toFixed(2)} times --before (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})` : ''
    record({ group: 'Auth', name, unit: 'requests/s', value: median(own), ...(other ? { peer: { name: 'before', value: median(other) } } : {}) })
    console.log(`${name.padEnd(26)}${median(own).toFixed(name.includes('password') ? 1 : 0)} a second${beside}`)
  }
  await hashShare(running[0])
  await besideBurst(running[0])
} finally {
  for (const { cloch } of running) await cloch.remove()
}
