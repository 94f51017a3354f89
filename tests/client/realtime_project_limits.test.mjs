/** Realtime's limits of a project: what its two nodes let through together, by PostgreSQL's bus and by NATS. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'

import { openSocket } from '../support/bare_socket.mjs'
import { natsIsMissing, startNats } from '../support/nats.mjs'
import { twoNodes } from '../support/nodes.mjs'
import { sleep } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const RATE = 20
const limits = `
[limits.realtime]
project_sockets = 6
project_joins_per_second = ${RATE}
project_messages_per_second = ${RATE}
`

/** How long clients ask for more than the project may have. */
const SECONDS = 10
/**
 * Two nodes that count alone let through twice the rate and twice a second's worth in advance: 440. Both together may let through the rate, a
 * second's worth in advance at each, and what the other does until it is heard of, with a margin of four seconds for a slow machine.
 */
const MOST = RATE * (SECONDS + 1) + RATE * 6

const open = []
after(async () => {
  for (const end of open.reverse()) await end()
})

/** The answer to a WebSocket's handshake; the socket is given up at once. */
function handshake({ port, anonKey }) {
  const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
  return new Promise((done, fail) => {
    const asked = request({ host: '127.0.0.1', port, path: `/realtime/v1/websocket?apikey=${anonKey}`, headers, agent: false })
    asked.on('upgrade', (answer, socket) => done({ status: 101, socket: socket.destroy() }))
    asked.on('response', async (answer) => {
      const pieces = await answer.toArray()
      done({ status: answer.statusCode, retryAfter: answer.headers['retry-after'], body: Buffer.concat(pieces).toString() })
    })
    asked.on('error', fail).end()
  })
}

async function opened(node) {
  const one = await until(() => openSocket(node), 'a socket')
  open.push(() => one.socket.close())
  return one
}

/** Sends broadcasts over HTTP; the status, and the refusal's words. */
async function post(node, count = 1) {
  const messages = Array.from({ length: count }, () => ({ topic: 'busy', event: 'e', payload: {} }))
  const headers = { apikey: node.anonKey, 'content-type': 'application/json' }
  const answer = await fetch(`${node.url}/realtime/v1/api/broadcast`, { method: 'POST', headers, body: JSON.stringify({ messages }) })
  const text = await answer.text()
  return { status: answer.status, message: text && JSON.parse(text).message }
}

// What clients do again and again. Each returns the words of a refusal; undefined if it was let through.

async function join(client) {
  client.one ??= await opened(client.node)
  const answer = await client.one.ask('realtime:busy', 'phx_join', client.config ?? { config: {} })
  if (answer?.status === 'ok') return undefined
  await client.one.closed
  client.one = undefined
  return answer?.response.reason
}

async function postOne({ node }) {
  const { status, message } = await post(node)
  return status === 202 ? undefined : message
}

/** A joined channel; a join that is refused for its number ends its socket. */
const joined = (client, config) =>
  until(async () => {
    client.config = { config }
    return (await join(client)) === undefined
  }, 'a join')

/** Sends and waits until it was handled: the answers come in order. */
async function send({ one }, event, payload) {
  const ref = one.send('realtime:busy', event, payload)
  await one.ask('phoenix', 'heartbeat', {})
  if (one.heard.find((frame) => frame[1] === ref)?.[4].status === 'ok') return undefined
  assert.ok(one.heard.some(([, , topic, event]) => topic === 'realtime:busy' && event === 'phx_close'), 'the channel is closed')
  return one.heard.findLast(([, , , event]) => event === 'system')?.[4].message
}

async function broadcast(client) {
  if (!client.isJoined) await joined(client, { broadcast: { ack: true } })
  const refusal = await send(client, 'broadcast', { type: 'broadcast', event: 'e', payload: {} })
  client.isJoined = refusal === undefined
  return refusal
}

/** A channel has a limit of its own for presence: each attempt has a new one. */
async function track(client) {
  await joined(client, { presence: { key: 'busy', enabled: true } })
  return send(client, 'presence', { type: 'presence', event: 'track', payload: { at: Math.random() } })
}

/** Has clients want more than they may for some seconds; how often they were let through, and what each heard when refused. */
async function crowd(clients) {
  const end = Date.now() + SECONDS * 1000
  let passed = 0
  const refusals = clients.map(async ([node, attempt]) => {
    const client = { node }
    const heard = new Set()
    while (Date.now() < end) {
      const refusal = await attempt(client)
      if (refusal === undefined) passed += 1
      else heard.add(refusal)
      await sleep(10)
    }
    client.one?.socket.close()
    return [...heard]
  })
  return { refusals: await Promise.all(refusals), passed }
}

/** Ends with the second node killed. */
async function socketsOfAll(first, second) {
  const refused = async (node) => {
    const answer = await until(async () => {
      const answer = await handshake(node)
      return answer.status !== 101 && answer
    }, 'a refused socket')
    assert.deepEqual(answer, { status: 429, retryAfter: '10', body: '{"error":"ConnectionRateLimitReached: Too many connected users"}' })
    const poll = await fetch(`${node.url}/realtime/v1/longpoll?apikey=${node.anonKey}&vsn=2.0.0`)
    assert.deepEqual(await poll.json(), { status: 500 })
  }
  const [here, there] = [[], []]
  for (let n = 0; n < 3; n += 1) {
    here.push(await opened(first))
    there.push(await opened(second))
  }
  await refused(first)
  await refused(second)
  for (const one of [...here, ...there]) assert.equal((await one.ask('phoenix', 'heartbeat', {})).status, 'ok', 'who is there stays')
  here.forEach(({ socket }) => socket.close())
  for (let n = 0; n < 3; n += 1) there.push(await opened(second))
  await refused(first)
  await second.kill()
  // Two heartbeats of the nodes, and a second for a slow machine.
  await until(async () => (await handshake(first)).status === 101, 'room again', 12_000)
}

async function limitsOfTheProject(t, [first, second]) {
  await t.test('joins', async () => {
    const { refusals, passed } = await crowd([[first, join], [second, join]])
    const words = ['ClientJoinRateLimitReached: Too many joins per second']
    assert.deepEqual(refusals, [words, words])
    assert.ok(passed <= MOST, `${passed} joins`)
  })
  await t.test('messages of every kind', async () => {
    const { refusals, passed } = await crowd([[first, postOne], [second, postOne], [first, broadcast], [second, track]])
    const overHttp = ['You have exceeded your rate limit']
    assert.deepEqual(refusals, [overHttp, overHttp, ['Too many messages per second'], ['Too many presence messages per second']])
    assert.ok(passed <= MOST, `${passed} messages`)
  })
  await t.test('more messages at once than ever fit, and as many as do', async () => {
    const tooMany = await until(async () => {
      const answer = await post(first, RATE + 1)
      return /reduce the batch size/.test(answer.message) && answer
    }, 'the refusal of a batch')
    assert.equal(tooMany.status, 429)
    await until(async () => (await post(first, RATE)).status === 202, 'a whole batch')
  })
  await t.test('sockets, until their clients or their node are gone', () => socketsOfAll(first, second))
}

const project = (settings) => twoNodes({ 'cloch.toml': limits + settings }, (end) => open.push(end))

test('limits of the project hold for two nodes together, by PostgreSQL', async (t) => limitsOfTheProject(t, await project('')))

test('limits of the project hold for two nodes together, by NATS', { skip: natsIsMissing }, async (t) => {
  const { url } = await startNats((end) => open.push(end))
  await limitsOfTheProject(t, await project(`[realtime]\nnats_url = "${url}"\n`))
})
