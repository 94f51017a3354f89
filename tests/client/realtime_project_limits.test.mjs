/** Realtime's limits for a whole project: how much two nodes accept together. The nodes are connected through PostgreSQL or through NATS. */
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

/** The clients exceed the project's limit for this number of seconds. */
const SECONDS = 10
/**
 * If the nodes did not share their counts, they would accept twice the rate, plus twice the allowance of one second: 440. Together they may
 * accept the rate, plus the allowance of one second at each node, plus the messages that a node accepts before the other node's count arrives.
 * The margin for a slow machine is four seconds.
 */
const MOST = RATE * (SECONDS + 1) + RATE * 6

const open = []
after(async () => {
  for (const end of open.reverse()) await end()
})

/** Begins a WebSocket handshake. Returns the response, and closes the socket at once. */
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

/** Sends broadcasts over HTTP. Returns the status and the error message. */
async function post(node, count = 1) {
  const messages = Array.from({ length: count }, () => ({ topic: 'busy', event: 'e', payload: {} }))
  const headers = { apikey: node.anonKey, 'content-type': 'application/json' }
  const answer = await fetch(`${node.url}/realtime/v1/api/broadcast`, { method: 'POST', headers, body: JSON.stringify({ messages }) })
  const text = await answer.text()
  return { status: answer.status, message: text && JSON.parse(text).message }
}

// The following functions are actions that clients repeat. Each returns the error message, or `undefined` if the server has accepted the action.

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

/** Joins a channel. If the server refuses the join because there are too many joins, it closes the socket. */
const joined = (client, config) =>
  until(async () => {
    client.config = { config }
    return (await join(client)) === undefined
  }, 'a join')

/** Sends a message, and waits until the server has handled it. This works because the responses arrive in the order of the messages. */
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

/** Tracks presence in a new channel each time, because each channel also has its own limit for presence. */
async function track(client) {
  await joined(client, { presence: { key: 'busy', enabled: true } })
  return send(client, 'presence', { type: 'presence', event: 'track', payload: { at: Math.random() } })
}

/** Lets clients exceed the limit for some seconds. Returns the number of accepted actions, and the messages of the refusals. */
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

/** Tests the maximum number of sockets of the whole project. Kills the second node at the end. */
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
  // The duration of two heartbeats, plus one second for a slow machine.
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
  await t.test('a burst of messages above the limit is refused, and one within the limit is accepted', async () => {
    const tooMany = await until(async () => {
      const answer = await post(first, RATE + 1)
      return /reduce the batch size/.test(answer.message) && answer
    }, 'the refusal of a batch')
    assert.equal(tooMany.status, 429)
    await until(async () => (await post(first, RATE)).status === 202, 'a whole batch')
  })
  await t.test('sockets are counted until their clients or their node are gone', () => socketsOfAll(first, second))
}

const project = (settings) => twoNodes({ 'cloch.toml': limits + settings }, (end) => open.push(end))

test('project limits hold for two nodes together, connected by PostgreSQL', async (t) => limitsOfTheProject(t, await project('')))

test('project limits hold for two nodes together, connected by NATS', { skip: natsIsMissing }, async (t) => {
  const { url } = await startNats((end) => open.push(end))
  await limitsOfTheProject(t, await project(`[realtime]\nnats_url = "${url}"\n`))
})
