/** examples/chat: members exchange messages and see who is present. Other users cannot read, join or write. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@supabase/supabase-js'

import { startProject } from '../support/program.mjs'

const example = resolve(import.meta.dirname, '../../examples/chat')
const started = []
let cloch
before(async () => {
  cloch = await startProject({ from: join(example, 'supabase') })
  cpSync(join(example, 'chat.mjs'), join(cloch.folder, 'chat.mjs'))
  symlinkSync(resolve(import.meta.dirname, '../node_modules'), join(cloch.folder, 'node_modules'))
})
after(async () => {
  started.forEach((child) => child.kill())
  await cloch?.remove()
})

/** Starts the chat program for a person. `says` writes a line to the program, and `sees` waits for output of the program. */
function person(name, ...words) {
  const child = spawn(process.execPath, [join(cloch.folder, 'chat.mjs'), `${name}@example.org`, `password of ${name}`, ...words], {
    env: { ...process.env, SUPABASE_URL: cloch.url },
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  const ended = new Promise((done) => child.once('exit', done))
  return {
    ended,
    output: () => output,
    says: (line) => child.stdin.write(`${line}\n`),
    leaves: () => child.stdin.end(),
    async sees(pattern) {
      for (let waited = 0; waited < 600; waited += 1) {
        const found = pattern.exec(output)
        if (found) return found
        await new Promise((done) => setTimeout(done, 100))
      }
      assert.fail(`${name} does not see ${pattern}:\n${output}`)
    },
  }
}

test('a wrong code, and an invalid room name, end with a message', async () => {
  for (const [words, message] of [
    [['join', '00000000-0000-0000-0000-000000000000'], /failed: no room has this code/],
    [['new', 'Not A Name'], /failed: .*rooms_name_check/],
  ]) {
    const carl = person('carl', ...words)
    assert.equal(await carl.ended, 1)
    assert.match(carl.output(), message)
  }
})

test('two members talk, see each other, and read earlier messages', async () => {
  const anne = person('anne', 'new', 'harbour')
  const [, code] = await anne.sees(/room harbour, code (\S+)/)
  await anne.sees(/\* connected/)
  anne.says('Is the ferry in?')
  await anne.sees(/anne: Is the ferry in\?/)
  const ben = person('ben', 'join', code)
  await ben.sees(/anne: Is the ferry in\?/)
  await anne.sees(/\* ben is here/)
  await ben.sees(/\* connected/)
  ben.says('At nine.')
  await anne.sees(/ben: At nine\./)
  ben.leaves()
  await anne.sees(/\* ben left/)
  assert.equal(anne.output().match(/anne: Is the ferry in/g).length, 1, 'shown once')
})

test('a user who is not a member can neither read, join, write nor broadcast', async () => {
  const member = createClient(cloch.url, cloch.anonKey)
  await member.auth.signInWithPassword({ email: 'anne@example.org', password: 'password of anne' })
  const { data: rooms } = await member.from('rooms').select('id, code')
  assert.equal(rooms.length, 1)
  const [{ id, code }] = rooms
  const stranger = createClient(cloch.url, cloch.anonKey)
  const { data: signedUp } = await stranger.auth.signUp({ email: 'dora@example.org', password: 'password of dora' })
  for (const table of ['rooms', 'members', 'messages']) assert.deepEqual((await stranger.from(table).select()).data, [], table)
  const written = await stranger.from('messages').insert({ room: id, nick: 'anne', body: 'x' })
  assert.equal(written.error.code, '42501')
  assert.equal((await stranger.from('members').insert({ room: id })).error.code, '42501')
  const status = (client, topic) =>
    new Promise((done) => client.channel(topic, { config: { private: true } }).subscribe((state) => state !== 'CLOSED' && done(state)))
  assert.equal(await status(stranger, `room:${id}`), 'CHANNEL_ERROR')
  assert.equal(await status(stranger, 'room:x'), 'CHANNEL_ERROR')
  // A member may not write in the name of another member. A member may also not send messages as broadcasts, because messages must be rows.
  const forged = await member.from('messages').insert({ room: id, nick: 'dora', body: 'x', author: signedUp.user.id })
  assert.equal(forged.error.code, '42501')
  await stranger.rpc('join_room', { room_code: code })
  assert.equal((await stranger.from('messages').select('body')).data.length, 2)
  await Promise.all([member, stranger].map((client) => client.removeAllChannels()))
})
