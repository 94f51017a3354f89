/** A class of thirty enters from its school's one address, within an hour: nothing of anybody is lost. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { messagesTo } from '../support/inbox.mjs'
import { startProject, sleep } from '../support/program.mjs'

const pupils = Array.from({ length: 30 }, (_, number) => `Pupil ${number + 1}`)
const settings = readFileSync(new URL('../../supabase-config/cloch.toml', import.meta.url), 'utf8')

let cloch
before(async () => {
  cloch = await startProject({ files: { 'cloch.toml': `${settings}\n[server]\ntrusted_proxies = ["127.0.0.1/32"]\n` } })
})
after(() => cloch?.remove())

test('thirty pupils of one network have thirty rows, files and mails', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const visitor = createClient(cloch.url, cloch.anonKey, { global: { headers }, auth: { persistSession: false } })
  for (const name of pupils) {
    const path = `artist/${name.toLowerCase().replace(' ', '-')}/${Date.now()}-picture.png`
    const picture = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1])], { type: 'image/png' })
    const stored = await visitor.storage.from('youth-awards-submissions').upload(path, picture)
    assert.equal(stored.error, null)
    const entered = await visitor.from('young_artist_entries').insert({
      entrant_name: name,
      age: 12,
      category: 'intermediate',
      parent_guardian_email: 'parent@example.org',
      uploaded_files: [path],
    })
    assert.equal(entered.error, null)
  }

  let mails = []
  for (let attempt = 0; attempt < 600 && mails.length < pupils.length; attempt += 1) {
    await sleep(100)
    mails = await messagesTo(cloch.url, 'officer@example.org')
  }
  assert.deepEqual(mails.map(({ subject }) => subject).sort(), pupils.map((name) => `Young Artist Entry - ${name}`).sort())
  for (const { html } of mails) assert.doesNotMatch(html, /not stored/)
  const office = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  const { count } = await office.from('young_artist_entries').select('*', { count: 'exact', head: true })
  assert.equal(count, pupils.length)
})

test('a stranger’s calls of the mail function are counted all the same', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.8' }
  const visitor = createClient(cloch.url, cloch.anonKey, { global: { headers }, auth: { persistSession: false } })
  const body = { to: 'club@example.org', subject: 'Hello', message: '<p>Hello</p>', name: 'A Stranger' }
  const statuses = []
  for (let call = 0; call < 21; call += 1) {
    const { error } = await visitor.functions.invoke('send-email', { body })
    statuses.push(error ? error.context.status : 200)
  }
  assert.deepEqual(statuses, [...Array(20).fill(200), 429])
})
