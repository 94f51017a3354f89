/** Proofs of the settings of URLs, the table REST, storage, Realtime, limits, functions and advisors. */
import { connect } from 'node:net'
import { sleep } from '../program.mjs'

/** Opens a WebSocket of Realtime. Returns `undefined` if the server refuses it. */
async function socket(w) {
  const made = new WebSocket(`${w.server.url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0&apikey=${w.server.anonKey}`)
  const replies = []
  made.addEventListener('message', ({ data }) => replies.push(JSON.parse(data)))
  const isOpen = await new Promise((done) => {
    made.addEventListener('open', () => done(true))
    made.addEventListener('error', () => done(false))
    made.addEventListener('close', () => done(false))
  })
  await sleep(100)
  if (!isOpen || made.readyState !== WebSocket.OPEN) return undefined
  const send = (topic, event, payload = {}, ref = `${replies.length}-${Math.random()}`) =>
    made.readyState === WebSocket.OPEN && made.send(JSON.stringify({ topic, event, payload, ref, join_ref: ref }))
  return { replies, send, isOpen: () => made.readyState === WebSocket.OPEN, close: () => made.close() }
}
async function countSockets(w, count) {
  const opened = []
  for (let number = 0; number < count; number += 1) opened.push(await socket(w))
  const alive = opened.filter((one) => one?.isOpen())
  alive.forEach((one) => one.close())
  await sleep(200)
  return alive.length
}
/** Returns how many of `count` channels can be joined at the same time. */
async function joined(w, count) {
  const one = await socket(w)
  for (let number = 0; number < count; number += 1) one.send(`realtime:room-${number}-${Math.random()}`, 'phx_join', { config: {} })
  await sleep(1500)
  one.close()
  return one.replies.filter(({ event, payload }) => event === 'phx_reply' && payload.status === 'ok').length
}
const broadcast = (w) => w.status('/realtime/v1/api/broadcast', { body: { messages: [{ topic: 'a', event: 'b', payload: {} }] } })
const several = async (count, send) => {
  const seen = []
  for (let number = 0; number < count; number += 1) seen.push(await send())
  return seen
}
const isRefused = async (count, send) => (await several(count, send)).some((status) => status >= 400)
const insert = (w, count, more = {}) => w.status('/rest/v1/lines', { body: Array.from({ length: count }, () => ({ body: 'x' })), ...more })
const anonUpload = async (w, bytes) => (await w.upload(bytes, { key: w.server.anonKey })).status
const redirect = async (w, redirect_to) => {
  const { properties, action_link } = await w.link('magiclink', { email: (await w.user()).email, redirect_to })
  return new URL(action_link ?? properties.action_link).searchParams.get('redirect_to')
}
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64')
const image = async (w) => {
  const name = `picture-${Math.random()}`
  const headers = { authorization: `Bearer ${w.server.serviceKey}`, 'content-type': 'image/png' }
  await fetch(`${w.server.url}/storage/v1/object/files/${name}`, { method: 'POST', headers, body: PNG })
  return w.status(`/storage/v1/render/image/public/files/${name}?width=1`)
}
const hello = (w, query = '', options = {}) => w.fetch(`/functions/v1/hello${query}`, options)
const pid = async (w) => (await (await hello(w)).json()).pid
/** Opens connections without a request. Returns how many stay open. */
async function connections(w, count, localAddress = '127.0.0.1') {
  const { hostname, port } = new URL(w.server.url)
  const opened = Array.from({ length: count }, () => connect({ port: Number(port), host: hostname, localAddress }))
  let closed = 0
  // The server sends a response on a refused connection at once.
  for (const one of opened) one.on('error', () => (closed += 1)).once('data', () => (closed += 1))
  await sleep(1500)
  const kept = count - closed
  opened.forEach((one) => one.destroy())
  await sleep(300)
  return kept
}
const ignored = async (w) => {
  const { lints } = await w.owner.must('GET', '/advisors')
  return lints.some(({ name, metadata }) => name === 'rls_disabled_in_public' && metadata.name === 'leaky')
}
const users = async (w) => (await w.user()).token

export const PROJECT = {
  'auth.site_url': { to: 'http://localhost:4000', see: (w) => redirect(w), from: 'http://localhost:3000', then: 'http://localhost:4000' },
  'auth.additional_redirect_urls': {
    to: ['https://other.example/**'],
    see: (w) => redirect(w, 'https://other.example/here'),
    from: 'http://localhost:3000',
    then: 'https://other.example/here',
  },
  'api.external_url': {
    to: (w) => w.server.url.replace('127.0.0.1', 'localhost'),
    see: async (w) => new URL((await w.link('magiclink', { email: (await w.user()).email })).action_link).hostname,
    from: '127.0.0.1',
    then: 'localhost',
  },
  'api.schemas': { to: ['public', 'private'], see: (w) => w.status('/rest/v1/things', { headers: { 'accept-profile': 'private' } }), from: 406, then: 200 },
  'api.max_rows': { to: 3, see: async (w) => Math.min(4, (await w.json('/rest/v1/lines')).length), from: 4, then: 3 },
  'server.body_limit': { to: '2KiB', see: (w) => w.status('/rest/v1/lines', { key: w.server.serviceKey, body: { body: 'x'.repeat(4000) } }), from: 201, then: 413 },
  'server.request_timeout': { to: 1, phase: 'timeout', see: async (w) => (await w.status('/rest/v1/rpc/doze', { key: w.server.serviceKey, body: { seconds: 3 } })) < 300, from: true, then: false },
  'management.mcp_writes': {
    to: true,
    see: async (w) => {
      const answer = await w.fetch('/mcp', {
        token: w.server.keys.SUPABASE_ACCESS_TOKEN,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
      })
      return /"name":\s*"apply_migration"/.test(await answer.text())
    },
    from: false,
    then: true,
  },
  'dashboard.enabled': { alone: 'The last test of this suite: the dashboard undoes it no more.' },
  'storage.file_size_limit': { to: '4KiB', see: async (w) => (await w.upload(5000)).ok, from: true, then: false },
  'storage.quota': { to: '1KiB', see: async (w) => (await w.upload(5000)).ok, from: true, then: false },
  'storage.min_free': { to: '1000TiB', see: async (w) => (await w.upload(10)).ok, from: true, then: false },
  'storage.image_transformation.enabled': { to: false, see: async (w) => (await image(w)) < 300, from: true, then: false },
  'storage.s3_protocol.enabled': { to: false, see: (w) => w.status('/storage/v1/s3/files'), from: 403, then: 404 },
  'realtime.enabled': { to: false, phase: 'off', see: async (w) => (await w.status('/realtime/v1/api/ping')) < 300, from: true, then: false },
  'limits.realtime.sockets_per_network': { to: 1, see: (w) => countSockets(w, 2), from: 2, then: 1 },
  'limits.realtime.channels_per_socket': { to: 1, see: (w) => joined(w, 2), from: 2, then: 1 },
  'limits.realtime.joins_per_second': { to: 1, see: async (w) => (await joined(w, 10)) === 10, from: true, then: false },
  'limits.realtime.frames_per_second': {
    to: 1,
    see: async (w) => {
      const one = await socket(w)
      for (let number = 0; number < 60; number += 1) one.send('phoenix', 'heartbeat')
      await sleep(1000)
      const isWhole = one.replies.filter(({ event }) => event === 'phx_reply').length === 60
      one.close()
      return isWhole
    },
    from: true,
    then: false,
  },
  'limits.realtime.bytes_per_second': {
    to: '1KiB',
    see: async (w) => {
      const one = await socket(w)
      for (let number = 0; number < 20; number += 1) one.send('phoenix', 'heartbeat', { pad: 'x'.repeat(10_000) })
      await sleep(1000)
      const isWhole = one.replies.filter(({ event }) => event === 'phx_reply').length === 20
      one.close()
      return isWhole
    },
    from: true,
    then: false,
  },
  'limits.realtime.project_sockets': { to: 1, see: async (w) => (await countSockets(w, 2)) === 2, from: true, then: false },
  'limits.realtime.project_messages_per_second': { to: 1, see: (w) => isRefused(30, () => broadcast(w)), from: false, then: true },
  'limits.visitors.rows_per_write': { to: 1, see: async (w) => (await insert(w, 2)) < 300, from: true, then: false },
  'limits.visitors.rows_per_hour': {
    to: 1,
    see: (w) => {
      // After a refusal, the network stays refused for some time. Therefore each call uses another network.
      const headers = { 'x-forwarded-for': `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}::1` }
      return isRefused(3, () => insert(w, 1, { headers }))
    },
    from: false,
    then: true,
  },
  'limits.visitors.body_limit': { to: '1KiB', see: (w) => w.status('/rest/v1/lines', { body: { body: 'x'.repeat(1500) } }), from: 201, then: 413 },
  'limits.visitors.files_per_hour': { to: 1, see: (w) => isRefused(3, () => anonUpload(w, 10)), from: false, then: true },
  'limits.visitors.bytes_per_hour': { to: '1KiB', see: (w) => isRefused(2, () => anonUpload(w, 2000)), from: false, then: true },
  'limits.visitors.refusals_per_minute': {
    to: 3,
    phase: 'limits',
    see: async (w) => {
      const begun = performance.now()
      await several(8, () => w.status('/rest/v1/nowhere', { headers: { 'x-forwarded-for': '203.0.113.9' } }))
      return performance.now() - begun > 2000
    },
    from: false,
    then: true,
  },
  'limits.connections.total': { to: 30, phase: 'limits', see: async (w) => (await connections(w, 60)) === 60, from: true, then: false },
  'limits.connections.per_network': { to: 20, phase: 'connections', see: async (w) => (await connections(w, 60, '127.0.0.2')) === 60, from: true, then: false },
  'edge_runtime.enabled': { to: false, phase: 'off', see: async (w) => (await hello(w)).status, from: 200, then: 404 },
  'edge_runtime.policy': { to: 'oneshot', phase: 'limits', see: async (w) => (await pid(w)) === (await pid(w)), from: true, then: false },
  'functions.*.enabled': () => ({ to: false, phase: 'function-off', see: async (w) => (await hello(w)).status, from: 200, then: 404 }),
  'functions.*.verify_jwt': () => ({ to: false, see: async (w) => (await fetch(`${w.server.url}/functions/v1/hello`)).status, from: 401, then: 200 }),
  'functions.*.timeout_seconds': () => ({ to: 1, see: async (w) => (await hello(w, '?ms=2500')).ok, from: true, then: false }),
  'functions.*.memory_mb': () => ({ to: 128, see: async (w) => (await hello(w, '?mb=180')).ok, from: true, then: false }),
  'functions.*.max_workers': () => ({ why: 'A second worker starts under load only; function_workers.test.mjs loads a function until it does.' }),
  'functions.*.calls_per_user_hourly': () => ({
    to: 1,
    phase: 'connections',
    see: async (w) => {
      const token = await users(w)
      return isRefused(3, async () => (await hello(w, '', { token })).status)
    },
    from: false,
    then: true,
  }),
  'functions.*.calls_per_address_hourly': () => ({ to: 1, phase: 'calls', see: (w) => isRefused(3, async () => (await hello(w)).status), from: false, then: true }),
  'advisors.ignore': { to: [{ lint: 'rls_disabled_in_public', on: ['public.leaky'], reason: 'It is a list.' }], see: ignored, from: true, then: false },
}
