/**
 * A program for every JavaScript runtime. It uses the libraries and the web's own APIs, nothing of Node, and prints the name of each step that was
 * right. The first argument contains the server's URL and keys.
 */
import { createClient } from '@supabase/supabase-js'

const { url, anonKey, email, password, runtime } = JSON.parse((globalThis.Deno?.args ?? process.argv.slice(2))[0])
const client = createClient(url, anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
const folder = `runtimes-${runtime}`

function check(value, expected, what = '') {
  const [is, wanted] = [value, expected].map((one) => JSON.stringify(one))
  if (is !== wanted) throw new Error(`${what} ${is} instead of ${wanted}`)
}
function good({ data, error }) {
  if (error) throw new Error(JSON.stringify({ message: error.message, ...error }))
  return data
}
/** Resolves when a condition holds. */
async function until(holds, what) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (holds()) return
    await new Promise((next) => setTimeout(next, 50))
  }
  throw new Error(`not within 10 s: ${what()}`)
}
const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 31) % 251)
const same = async (blob) => {
  const read = new Uint8Array(await blob.arrayBuffer())
  return read.length === bytes.length && read.every((byte, at) => byte === bytes[at])
}

const steps = {
  'sign-in, refresh, claims, user': async () => {
    check((await client.auth.signInWithPassword({ email, password: 'wrong' })).error.code, 'invalid_credentials')
    good(await client.auth.signInWithPassword({ email, password }))
    good(await client.auth.refreshSession())
    check(good(await client.auth.getClaims()).claims.email, email)
    check(good(await client.auth.getUser()).user.email, email)
  },
  'rows: insert, embeds, count, CSV, errors, abort': async () => {
    good(await client.from('members').delete().like('name', `${runtime} %`))
    const name = `${runtime} “Ü” 🚢`
    check(good(await client.from('members').insert({ name, tags: ['a,b', '"'], club_id: 2 }).select('name,tags,clubs(name)').single()), { name, tags: ['a,b', '"'], clubs: { name: 'Rowing' } })
    check((await client.from('members').select('*', { count: 'exact', head: true }).eq('name', name)).count, 1)
    check(good(await client.from('clubs').select().order('id').csv()), 'id,name\n1,Chess\n2,Rowing')
    check((await client.from('missing').select()).error.code, 'PGRST205')
    const rows = Array.from({ length: 2000 }, (_, number) => ({ name: `${runtime} ${number}`, profile: { long: 'x'.repeat(500) } }))
    good(await client.from('members').insert(rows))
    check(good(await client.from('members').select('profile').like('name', `${runtime} %`).range(0, 999)).length, 1000)
    const controller = new AbortController()
    const slow = client.rpc('wait', { seconds: 20 }).abortSignal(controller.signal)
    setTimeout(() => controller.abort(), 200)
    const begun = Date.now()
    const { error } = await slow
    if (!/abort/i.test(`${error?.name} ${error?.message} ${error?.details}`) || Date.now() - begun > 5000) throw new Error(`abort: ${JSON.stringify(error)}`)
    const late = await client.rpc('wait', { seconds: 20 }).abortSignal(AbortSignal.timeout(200))
    if (!/abort|timeout/i.test(`${late.error?.name} ${late.error?.message} ${late.error?.details}`)) throw new Error(`timeout: ${JSON.stringify(late.error)}`)
    // The connection that was closed is not used again.
    check(good(await client.rpc('add', { a: 1, b: 2 })), 3)
  },
  'files: File, Blob, ArrayBuffer, typed array, stream, FormData; streamed and partial downloads, signed uploads': async () => {
    const files = client.storage.from('runtimes')
    const form = new FormData()
    form.append('cacheControl', '60')
    form.append('', new Blob([bytes], { type: 'application/x-test' }), 'form.bin')
    const bodies = {
      file: new File([bytes], 'file.bin', { type: 'application/x-test' }),
      blob: new Blob([bytes], { type: 'application/x-test' }),
      buffer: bytes.buffer,
      typed: bytes,
      form,
      stream: new Blob([bytes]).stream(),
    }
    for (const [kind, body] of Object.entries(bodies)) {
      good(await files.upload(`${folder}/${kind}`, body, { contentType: 'application/x-test', upsert: true, duplex: 'half' }))
      const blob = good(await files.download(`${folder}/${kind}`))
      if (!(await same(blob))) throw new Error(`${kind}: other bytes`)
      check(good(await files.info(`${folder}/${kind}`)).contentType, 'application/x-test', kind)
    }
    const streamed = good(await files.download(`${folder}/blob`).asStream())
    if (!(await same(await new Response(streamed).blob()))) throw new Error('stream: other bytes')
    const { signedUrl } = good(await files.createSignedUrl(`${folder}/blob`, 60))
    const part = await fetch(signedUrl, { headers: { range: 'bytes=10-19' } })
    check([part.status, [...new Uint8Array(await part.arrayBuffer())]], [206, [...bytes.slice(10, 20)]])
    const { token, path } = good(await files.createSignedUploadUrl(`${folder}/signed`, { upsert: true }))
    good(await files.uploadToSignedUrl(path, token, new Blob(['signed'])))
    check(await good(await files.download(path)).text(), 'signed')
    check(good(await files.list(folder)).length, 7)
    check(good(await files.remove([...Object.keys(bodies), 'signed'].map((name) => `${folder}/${name}`))).length, 7)
  },
  'functions: JSON, a binary body, a stream of events, an error': async () => {
    check(good(await client.functions.invoke('hello', { body: { a: 1 } })).body, '{"a":1}')
    check(good(await client.functions.invoke('hello', { body: new Blob(['text']), method: 'PUT' })).method, 'PUT')
    const response = good(await client.functions.invoke('events'))
    const text = await response.text()
    check([...text.matchAll(/"number":(\d)/g)].map(([, number]) => number), ['1', '2', '3'])
    const { error } = await client.functions.invoke('fails')
    check([error.name, error.context.status, await error.context.json()], ['FunctionsHttpError', 409, { reason: 'the boat is full' }])
  },
  'realtime: changes of rows, broadcast with acknowledgement, binary broadcast, presence': async () => {
    const heard = { rows: [], words: [], bytes: [], present: {}, system: [] }
    const room = client.channel(`room-${runtime}`, { config: { broadcast: { self: true, ack: true }, presence: { key: runtime } } })
    room.on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'members', filter: `name=eq.${runtime} live` }, ({ new: row }) => heard.rows.push(row.name))
    room.on('system', {}, ({ status, message }) => heard.system.push(`${status}: ${message}`))
    room.on('broadcast', { event: 'word' }, ({ payload }) => heard.words.push(payload))
    room.on('broadcast', { event: 'bytes' }, ({ payload }) => heard.bytes.push([...new Uint8Array(payload)]))
    room.on('presence', { event: 'sync' }, () => (heard.present = room.presenceState()))
    await new Promise((joined, failed) => room.subscribe((state, error) => (state === 'SUBSCRIBED' ? joined() : failed(error ?? new Error(state)))))
    check(await room.send({ type: 'broadcast', event: 'word', payload: { word: 'ahoy “Ü” 🚢' } }), 'ok')
    check(await room.send({ type: 'broadcast', event: 'bytes', payload: bytes.slice(0, 5).buffer }), 'ok')
    check(await room.track({ at: 'pier' }), 'ok')
    // The subscription of rows is ready a moment after the channel.
    await until(() => heard.system.some((text) => text.startsWith('ok: Subscribed to PostgreSQL')), () => JSON.stringify(heard))
    good(await client.from('members').insert({ name: `${runtime} live` }))
    await until(() => heard.rows.length === 1 && heard.words.length === 1 && heard.bytes.length === 1 && heard.present[runtime]?.length === 1, () => JSON.stringify(heard))
    check([heard.rows, heard.words, heard.bytes, heard.present[runtime][0].at], [[`${runtime} live`], [{ word: 'ahoy “Ü” 🚢' }], [[...bytes.slice(0, 5)]], 'pier'])
    check(await client.removeChannel(room), 'ok')
  },
  'twenty requests at once, and sign-out': async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, number) => client.rpc('add', { a: number, b: 1 })))
    check(all.map(good), Array.from({ length: 20 }, (_, number) => number + 1))
    good(await client.from('members').delete().like('name', `${runtime}%`))
    check(good(await client.from('members').select('id').like('name', `${runtime}%`)), [])
    good(await client.auth.signOut({ scope: 'local' }))
    check((await client.from('notes').select()).data, [])
  },
}

for (const [name, run] of Object.entries(steps)) {
  try {
    await run()
  } catch (error) {
    console.error(`${name}: ${error.stack}`)
    ;(globalThis.Deno ?? process).exit(1)
  }
  console.log(name)
}
;(globalThis.Deno ?? process).exit(0)
