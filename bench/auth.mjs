/**
 * Auth: token refreshes, GET /user and password sign-ins a second, the share of a sign-in's processor time that is the
 * password's hash, and what a burst of sign-ins does to everyone else.
 *
 * Run it against a release build: CLOCH_TEST_PROGRAM=target/release/cloch node bench/auth.mjs
 */
import { Agent, request } from 'node:http'
import { readFileSync } from 'node:fs'

import { startProject } from '../tests/support/program.mjs'

const settings = '\n[auth]\nsite_url = "http://127.0.0.1"\n[auth.email]\nenable_confirmations = true\n'
const cloch = await startProject({ from: null, change: (config) => config + settings })
const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const password = 'a lighthouse on the Clyde'

/** Sends one request; returns its response and its duration in milliseconds. */
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

/** Creates a user with the password above, or with a given hash of it. */
const user = async (email, hash) => {
  const secret = hash ? { password_hash: hash } : { password }
  await call('POST', '/admin/users', { token: cloch.serviceKey, body: { email, email_confirm: true, ...secret } })
}
const signIn = async (email) => (await call('POST', '/token?grant_type=password', { body: { email, password } })).body
const refresh = async (token) => (await call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } })).body

/** Runs `work` in a loop for some seconds with this many concurrent clients; returns the runs per second. */
async function rate(clients, seconds, work) {
  const end = performance.now() + seconds * 1000
  let count = 0
  await Promise.all(Array.from({ length: clients }, async (_, client) => {
    for (let state = await work(client); performance.now() < end; state = await work(client, state)) count += 1
  }))
  return count / seconds
}

/** Processor time used by the program, in seconds. */
const used = () => {
  const fields = readFileSync(`/proc/${cloch.child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const percentile = (list, share) => list.sort((a, b) => a - b)[Math.floor((list.length - 1) * share)].toFixed(1)

try {
  const cheap = '$2a$04$sB8jyMWRWgnaPkc8donexeEGidxeC0V8dyTKbUmNyu7ylqm3r7Lv.'
  await user('a@club.example')
  const clients = Array.from({ length: 16 }, (_, client) => client)
  const sessions = await Promise.all(clients.map(() => signIn('a@club.example')))

  const users = await rate(16, 5, (client) => call('GET', '/user', { token: sessions[client].access_token }))
  console.log(`GET /user                 ${users.toFixed(0)} a second`)
  const refreshes = await rate(16, 5, async (client, token) => (await refresh(token ?? sessions[client].refresh_token)).refresh_token)
  console.log(`token refreshes           ${refreshes.toFixed(0)} a second`)
  const [before, begun] = [used(), performance.now()]
  const signIns = await rate(4, 8, () => signIn('a@club.example'))
  const perSignIn = (used() - before) / (signIns * ((performance.now() - begun) / 1000))
  console.log(`password sign-ins         ${signIns.toFixed(1)} a second, ${(perSignIn * 1000).toFixed(1)} ms of processor time each`)
  // The same sign-in with a hash of bcrypt's lowest cost (1/64 of the work), to measure everything but the hash.
  await user('cheap@club.example', cheap)
  const from = used()
  const rounds = 300
  for (let round = 0; round < rounds; round += 1) await signIn('cheap@club.example')
  const rest = ((used() - from) / rounds - perSignIn / 64) / perSignIn
  console.log(`  of which the hash       ${((1 - rest) * 100).toFixed(1)} %`)

  const session = await signIn('a@club.example')
  const burst = Array.from({ length: 200 }, () => signIn('a@club.example'))
  const others = []
  let done = false
  Promise.allSettled(burst).then(() => (done = true))
  for (let token = session.refresh_token; !done;) {
    const turn = await call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } })
    token = turn.body.refresh_token
    others.push(turn.took, (await call('GET', '/user', { token: session.access_token })).took)
  }
  console.log(`beside 200 sign-ins       p50 ${percentile(others, 0.5)} ms, p99 ${percentile(others, 0.99)} ms (refresh and GET /user, ${others.length} requests)`)
} finally {
  await cloch.remove()
}
