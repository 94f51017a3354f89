/**
 * Realtime on two nodes with one database. What a client sends to one node reaches the clients of the other node, through PostgreSQL and through
 * NATS.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { natsIsMissing, startNats } from '../support/nats.mjs'
import { twoNodes as startTwoNodes } from '../support/nodes.mjs'
import { follow } from '../support/presence.mjs'
import { sleep } from '../support/program.mjs'
import { until } from '../support/until.mjs'

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

/** The duration of two heartbeats, plus one second for a slow machine. */
const LOST_AFTER = 12_000

const open = []
after(async () => {
  for (const end of open.reverse()) await end()
})

const leave = (end) => open.push(end)

const twoNodes = (nats) =>
  startTwoNodes({ 'migrations/1_channels.sql': migration, 'cloch.toml': nats ? `[realtime]\nnats_url = "${nats}"\n` : '' }, leave)

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

/** Joins a channel. Returns the channel with the broadcasts and the system messages that it receives. */
async function ear(node, name, config = {}, client = connect(node)) {
  const channel = client.channel(name, { config })
  const heard = [], said = []
  channel.on('broadcast', { event: '*' }, (message) => heard.push(message))
  channel.on('system', {}, (word) => said.push(word))
  await joined(channel)
  return { channel, heard, said }
}

/** Waits until a channel receives the message which says that messages of other nodes may be missing. */
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
  const state = follow(channel)
  await joined(channel)
  assert.equal(await channel.track({ name: key }), 'ok')
  return Object.assign(channel, { seen: state })
}

const present = (channel) => Object.keys(channel.seen()).sort().join()

async function broadcasts(first, second) {
  for (const [here, there] of [[first, second], [second, first]]) {
    const one = await ear(here, 'room')
    const other = await ear(there, 'room')
    await one.channel.send({ type: 'broadcast', event: 'text', payload: { words: 'Hullo' } })
    // This message is larger than the maximum size of a notification.
    await one.channel.send({ type: 'broadcast', event: 'large', payload: { words: 'x'.repeat(200_000) } })
    await one.channel.send({ type: 'broadcast', event: 'bytes', payload: new Uint8Array([0, 255, 1]).buffer })
    assert.deepEqual(await connect(here).channel('room').httpSend('http', { n: 1 }), { success: true })
    await until(() => other.heard.length === 4, `all broadcasts: ${other.heard.map(({ event }) => event)}`)
    assert.deepEqual(other.heard.map(({ event }) => event), ['text', 'large', 'bytes', 'http'])
    assert.equal(other.heard[1].payload.words.length, 200_000)
    assert.deepEqual([...new Uint8Array(other.heard[2].payload)], [0, 255, 1])
    await until(() => one.heard.length > 0, 'what came over HTTP, at the sender')
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
  await until(() => ann.seen().bob?.[0].name === 'Robert', 'a change')
  assert.equal(ann.seen().bob.length, 1)
  await bob.unsubscribe()
  await until(() => present(ann) === 'ann,cat', 'a departure')
  return ann
}

test('two nodes connected by PostgreSQL', async (t) => {
  const [first, second] = await twoNodes()
  await t.test('broadcasts of every kind, in order', () => broadcasts(first, second))
  await t.test('a private channel and a public one with the same name are separate', () => privateChannels(first, second))
  let ann
  await t.test('presence', async () => (ann = await presences(first, second)))
  await t.test('a message that no node has encrypted is refused', async () => {
    const { heard } = await ear(first, 'room')
    const service = createClient(first.url, first.serviceKey, { auth: { persistSession: false } })
    const forged = JSON.stringify({ Broadcast: { topic: 'room', private: false, content: { Json: { event: 'forged' } } } })
    for (const message of ['nonsense', '@nonsense', '@0f8fad5b-d9cb-469f-a165-70867728950e', Buffer.from(forged).toString('base64')]) {
      assert.ifError((await service.rpc('forge', { message })).error)
    }
    await until(() => /realtime bus: message refused/.test(second.output()), 'the refusal')
    await (await ear(second, 'room')).channel.send({ type: 'broadcast', event: 'real', payload: {} })
    await until(() => heard.length, 'a real message')
    assert.deepEqual(heard.map(({ event }) => event), ['real'])
  })
  await t.test('a suspended node loses its presence, and gets it back', async () => {
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
    assert.equal(ann.seen().cat.length, 1)
  })
  await t.test('a lost database connection is restored, and presence with it', async () => {
    const service = createClient(first.url, first.serviceKey, { auth: { persistSession: false } })
    const lines = () => second.output().split('\n').filter((line) => /realtime bus: connection between nodes lost/.test(line)).length
    const before = lines()
    const both = [await ear(first, 'gap'), await ear(second, 'gap')]
    const { data: processes, error } = await service.rpc('bus_processes')
    assert.ifError(error)
    assert.ok(processes.length >= 2, 'the listeners of both nodes')
    for (const id of processes) {
      try {
        process.kill(id, 'SIGTERM')
      } catch (error) {
        // The process has already ended, because its node has noticed the loss of the other node.
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

test('two nodes connected by NATS', { skip: natsIsMissing }, async (t) => {
  const nats = await startNats(leave)
  const [first, second] = await twoNodes(nats.url)
  await t.test('broadcasts of every kind, in order', () => broadcasts(first, second))
  await t.test('a private channel and a public one with the same name are separate', () => privateChannels(first, second))
  let ann
  await t.test('presence', async () => (ann = await presences(first, second)))
  await t.test('a NATS server that is killed and restarted delivers again, and nothing twice', async () => {
    const both = [await ear(first, 'gap'), await ear(second, 'gap')]
    nats.child.kill('SIGKILL')
    // Waits until both nodes have reported the lost connection. This takes longer than a node waits until its messages are sent.
    await until(() => [first, second].every((node) => /realtime bus: connection between nodes lost/.test(node.output())), 'the interruption')
    await startNats(leave, nats.port)
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
