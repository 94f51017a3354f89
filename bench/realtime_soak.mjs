/**
 * Runs Realtime for a long time. There are two nodes with one database. Clients join, move to the other node and leave at random, and use
 * broadcasts and presence. Prints the memory of both nodes every minute. At the end, prints the broadcasts that were lost, arrived twice or in the
 * wrong order, and the cases in which presence did not match the connected clients. Exits with 1 if there were any, or if the memory grew.
 *
 *   CLOCH_TEST_PROGRAM=target/release/cloch node bench/realtime_soak.mjs
 *   [--minutes 60] [--bus notify|nats] [--clients 200] [--rooms 10] [--rate 50 (broadcasts a second)] [--moves 10 (a second)] [--growth 16 (MB)]
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

import { natsIsMissing, startNats } from '../tests/support/nats.mjs'
import { twoNodes } from '../tests/support/nodes.mjs'
import { sleep } from '../tests/support/program.mjs'

const { WebSocket } = createRequire(join(resolve(import.meta.dirname, '..'), 'tests/package.json'))('ws')

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const number = (name, fallback) => Number(option(name, fallback))
const [minutes, clients, rooms] = [number('minutes', 60), number('clients', 200), number('rooms', 10)]
const [rate, moves, growth] = [number('rate', 50), number('moves', 10), number('growth', 16)]
const bus = option('bus', 'notify')

/** Time in milliseconds within which a broadcast must arrive. A client that leaves earlier need not receive it. */
const arrival = 2_000
/** Time in milliseconds between two comparisons of presence, and time that the nodes have to agree when no client moves any more. */
const [auditInterval, agreement] = [10_000, 5_000]

const limits = '[limits.realtime]\nsockets_per_network = 20000\n[limits.connections]\nper_network = 20000\ntotal = 20000\n'
const found = { broadcasts: 0, deliveries: 0, joins: 0, left: 0, lost: 0, twice: 0, unordered: 0, audits: 0, wrongPresence: 0, told: 0, refused: 0 }
const any = (list) => list[Math.floor(Math.random() * list.length)]
let nodes

/** The time that one client spends in one room. */
class Stay {
  static all = new Set()
  static count = 0
  id = (Stay.count += 1)
  /** The last broadcast that was received from each sender. */
  heard = new Map()
  /** The keys that are present, each with its references. */
  present = new Map()
  leftAt = Infinity

  constructor(key, room, node) {
    Object.assign(this, { key, room, node, topic: `realtime:room${room}` })
  }

  async begin() {
    const { port, anonKey } = nodes[this.node]
    const socket = (this.socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=${anonKey}&vsn=2.0.0`))
    const joined = new Promise((done, failed) => {
      this.joined = done
      socket.on('error', failed)
    })
    socket.on('message', (data) => this.take(...JSON.parse(data)))
    socket.on('close', () => this.leftAt === Infinity && this.end(() => (found.refused += 1)))
    await once(socket, 'open')
    this.push('phx_join', { config: { broadcast: { self: false }, presence: { key: this.key, enabled: true } } })
    const answer = await joined
    if (answer.status !== 'ok') throw new Error(JSON.stringify(answer))
    Stay.all.add(this)
    found.joins += 1
    this.push('presence', { type: 'presence', event: 'track', payload: { at: Date.now(), text: 'x'.repeat(Math.random() * 200) } })
    this.beat = setInterval(() => socket.send('[null,"9","phoenix","heartbeat",{}]'), 25_000)
    return this
  }

  push(event, payload) {
    this.socket.send(JSON.stringify(['1', '2', this.topic, event, payload]))
  }

  take(_join, _reference, topic, event, payload) {
    if (topic !== this.topic) return
    if (event === 'phx_reply') this.joined(payload)
    else if (event === 'broadcast') this.hear(payload.payload)
    else if (event === 'system') found.told += payload.status === 'error' ? 1 : 0
    else if (event === 'presence_state') this.add(payload)
    else if (event === 'presence_diff') {
      this.add(payload.joins)
      this.remove(payload.leaves)
    }
  }

  hear({ from, n, message }) {
    const last = this.heard.get(from) ?? -1
    this.heard.set(from, Math.max(last, n))
    if (n === last) found.twice += 1
    else if (n < last) found.unordered += 1
    else found.deliveries += 1
    waiting.get(message)?.expected.delete(this)
  }

  add(keys) {
    for (const [key, { metas }] of Object.entries(keys)) {
      const references = this.present.get(key) ?? new Set()
      metas.forEach(({ phx_ref }) => references.add(phx_ref))
      this.present.set(key, references)
    }
  }

  remove(keys) {
    for (const [key, { metas }] of Object.entries(keys)) {
      const references = this.present.get(key)
      metas.forEach(({ phx_ref }) => references?.delete(phx_ref))
      if (!references?.size) this.present.delete(key)
    }
  }

  /** Leaves in a random way: sends a message, closes the socket, or terminates the connection. */
  end(how = any([() => this.push('phx_leave', {}), () => this.socket.close(), () => this.socket.terminate()])) {
    if (this.leftAt !== Infinity) return
    this.leftAt = performance.now()
    Stay.all.delete(this)
    clearInterval(this.beat)
    how()
    setTimeout(() => this.socket.terminate(), 1_000)
  }
}

/** Broadcasts that have not arrived everywhere yet: for each one, the clients that must still receive it. */
const waiting = new Map()
const sent = new Map()

function broadcast() {
  const sender = any([...Stay.all])
  if (!sender) return
  const [n, message] = [(sent.get(sender) ?? -1) + 1, (found.broadcasts += 1)]
  sent.set(sender, n)
  // When the join of a client is answered, on either node, the client must receive all later broadcasts.
  const expected = new Set([...Stay.all].filter((stay) => stay !== sender && stay.room === sender.room))
  waiting.set(message, { at: performance.now(), expected })
  sender.push('broadcast', { type: 'broadcast', event: 'word', payload: { from: sender.id, n, message, text: 'x'.repeat(Math.random() * 400) } })
}

/** Counts broadcasts that have not arrived in time, for the clients that were still connected. */
function countLost() {
  for (const [message, { at, expected }] of waiting) {
    if (performance.now() - at < 2 * arrival) return
    waiting.delete(message)
    for (const stay of expected) found.lost += stay.leftAt > at + arrival ? 1 : 0
  }
  for (const stay of sent.keys()) if (stay.leftAt !== Infinity) sent.delete(stay)
}

/** A client leaves, joins, or changes its node or room. */
async function move(who) {
  if (who.isBusy) return
  who.isBusy = true
  try {
    const before = who.stay?.leftAt === Infinity ? who.stay : undefined
    if (before) {
      before.end()
      found.left += 1
      if (Math.random() < 0.2) return
    }
    const [room, node] = before && Math.random() < 0.5 ? [before.room, 1 - before.node] : [Math.floor(Math.random() * rooms), any([0, 1])]
    who.stay = await new Stay(who.key, room, node).begin()
  } finally {
    who.isBusy = false
  }
}

/** Compares presence while no client moves. All clients on both nodes must have the same list of the clients in their room. */
async function audit() {
  const names = (keys) => [...keys].sort().join()
  const inRoom = (room) => names([...Stay.all].filter((stay) => stay.room === room).map(({ key }) => key))
  const differing = () => [...Stay.all].filter((stay) => names(stay.present.keys()) !== inRoom(stay.room))
  for (let waited = 0; differing().length && waited < agreement; waited += 50) await sleep(50)
  found.audits += 1
  const wrong = differing()
  found.wrongPresence += wrong.length
  wrong.slice(0, 3).forEach((stay) => console.log(`WRONG presence for ${stay.key} on node ${stay.node}: ${names(stay.present.keys())}; there are ${inRoom(stay.room)}`))
}

const resident = ({ child }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024
const megabytes = (values) => values.map((value) => value.toFixed(1)).join(' + ')

async function soak() {
  const people = Array.from({ length: clients }, (_, n) => ({ key: `client${n}` }))
  for (const who of people) await move(who)
  const samples = []
  const begun = performance.now()
  let [paused, nextBroadcast, nextMove, nextAudit, nextSample] = [false, begun, begun, begun + auditInterval, begun]
  let auditing
  while (performance.now() - begun < minutes * 60_000) {
    const now = performance.now()
    for (; nextBroadcast <= now; nextBroadcast += 1_000 / rate) broadcast()
    for (; nextMove <= now; nextMove += 1_000 / moves) if (!paused) void move(any(people)).catch((error) => ((found.refused += 1), console.log(`REFUSED ${error.message}`)))
    if (now >= nextAudit) {
      nextAudit = Infinity
      paused = true
      auditing = (async () => {
        while (people.some(({ isBusy }) => isBusy)) await sleep(20)
        await audit()
        ;[paused, nextAudit] = [false, performance.now() + auditInterval]
      })()
    }
    if (now >= nextSample) {
      nextSample += 60_000
      samples.push(nodes.map(resident))
      console.log(`${((now - begun) / 60_000).toFixed(0).padStart(3)} min   ${megabytes(samples.at(-1))} MB   ${JSON.stringify(found)}`)
    }
    countLost()
    await sleep(5)
  }
  await auditing
  await sleep(2 * arrival)
  countLost()
  await audit()
  samples.push(nodes.map(resident))
  return samples
}

const open = []
let failed = true
try {
  if (bus === 'nats' && natsIsMissing) throw new Error(natsIsMissing)
  const nats = bus === 'nats' ? `[realtime]\nnats_url = "${(await startNats((end) => open.push(end))).url}"\n` : ''
  nodes = await twoNodes({ 'migrations/1_empty.sql': 'select 1;', 'cloch.toml': `${nats}${limits}` }, (end) => open.push(end))
  const samples = await soak()
  // Caches and connection pools reach their full size by the second minute.
  const settled = samples[Math.min(2, samples.length - 1)]
  const grown = nodes.map((_, at) => samples.at(-1)[at] - settled[at])
  console.log(`${bus}, ${minutes} min: ${found.broadcasts} broadcasts, ${found.deliveries} deliveries, ${found.joins} joins, ${found.left} departures, ${found.audits} comparisons of presence`)
  console.log(`lost ${found.lost}   twice ${found.twice}   in the wrong order ${found.unordered}   wrong presence ${found.wrongPresence}   cut off or refused ${found.refused}   told of gaps ${found.told}`)
  console.log(`memory: ${megabytes(settled)} MB when settled, ${megabytes(samples.at(-1))} MB at the end (${grown.map((more) => more.toFixed(1)).join(', ')} more)`)
  failed = ['lost', 'twice', 'unordered', 'wrongPresence', 'refused', 'told'].some((what) => found[what] > 0) || grown.some((more) => more > growth)
  for (const stay of Stay.all) stay.end()
} finally {
  for (const end of open.reverse()) await end()
}
process.exit(failed ? 1 : 0)
