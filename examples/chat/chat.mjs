/** A chat in the terminal. Usage: node chat.mjs EMAIL PASSWORD new NAME, or node chat.mjs EMAIL PASSWORD join CODE. */
import { createInterface } from 'node:readline'
import { createClient } from '@supabase/supabase-js'
import ws from 'ws'

const url = process.env.SUPABASE_URL ?? 'http://127.0.0.1:54321'
const [email, password, command, argument] = process.argv.slice(2)
if (argument === undefined || !['new', 'join'].includes(command)) {
  console.error('usage: node chat.mjs EMAIL PASSWORD new NAME | join CODE')
  process.exit(2)
}
const { anonKey } = await (await fetch(`${url}/_/config.json`)).json()
// The `ws` package is needed because Node 20 has no WebSocket client.
const supabase = createClient(url, anonKey, { realtime: { transport: ws } })
const nick = email.split('@')[0].slice(0, 40)

/** Returns the data of a response. Ends the program if the response is an error. */
function data({ data: found, error }) {
  if (error) {
    console.error(`failed: ${error.message}`)
    process.exit(1)
  }
  return found
}

const known = await supabase.auth.signInWithPassword({ email, password })
// The server does not reveal whether an account exists. If it exists and the password is wrong, the sign-up fails.
if (known.error?.code === 'invalid_credentials') data(await supabase.auth.signUp({ email, password }))
else data(known)
const room = data(
  command === 'new' ? await supabase.rpc('create_room', { room_name: argument }) : await supabase.rpc('join_room', { room_code: argument }),
)
console.log(`room ${room.name}, code ${room.code}`)

let last = 0
/** Shows a message only once, because the same message may arrive from the channel and from the table. */
function show({ id, nick: author, body }) {
  if (id <= last) return
  last = id
  console.log(`${author}: ${body}`)
}
/** Reads the messages that were written before the program started, or while the connection was interrupted. */
async function catchUp() {
  const query = supabase.from('messages').select('id, nick, body').eq('room', room.id).gt('id', last)
  data(await query.order('id', { ascending: false }).limit(50)).reverse().forEach(show)
}

const channel = supabase.channel(`room:${room.id}`, { config: { private: true, presence: { key: nick } } })
channel
  .on('broadcast', { event: 'message' }, ({ payload }) => show(payload))
  .on('presence', { event: 'join' }, ({ key }) => console.log(`* ${key} is here`))
  .on('presence', { event: 'leave' }, ({ key }) => console.log(`* ${key} left`))
  .subscribe(async (status, error) => {
    if (error) console.error(`* ${status}: ${error.message}`)
    if (status !== 'SUBSCRIBED') return
    await channel.track({ nick })
    await catchUp()
    console.log('* connected')
  })

const lines = createInterface({ input: process.stdin })
lines.on('line', async (line) => {
  const body = line.trim()
  if (body) data(await supabase.from('messages').insert({ room: room.id, nick, body }))
})
lines.on('close', async () => {
  await supabase.removeAllChannels()
  process.exit(0)
})
