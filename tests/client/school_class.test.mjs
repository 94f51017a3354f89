/** A class of thirty pupils sends entries from the school's single IP address within an hour. No entry is lost. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { messagesTo } from '../support/inbox.mjs'
import { png } from '../support/pictures.mjs'
import { startProject, sleep } from '../support/program.mjs'

const pupils = Array.from({ length: 30 }, (_, number) => `Pupil ${number + 1}`)
const settings = readFileSync(new URL('../../supabase-config/cloch.toml', import.meta.url), 'utf8')

let cloch
before(async () => {
  cloch = await startProject({ files: { 'cloch.toml': `${settings}\n[server]\ntrusted_proxies = ["127.0.0.1/32"]\n` } })
})
after(() => cloch?.remove())

/** Waits until an address has received a number of mails, for at most a minute. */
async function mailsTo(address, count) {
  let mails = []
  for (let attempt = 0; attempt < 600 && mails.length < count; attempt += 1) {
    if (attempt > 0) await sleep(100)
    mails = await messagesTo(cloch.url, address)
  }
  return mails
}

test('thirty pupils of one network send thirty entries with files, mails and receipts', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const visitor = createClient(cloch.url, cloch.anonKey, { global: { headers }, auth: { persistSession: false } })
  for (const [number, name] of pupils.entries()) {
    const path = `artist/${name.toLowerCase().replace(' ', '-')}/${Date.now()}-picture.png`
    const picture = new Blob([png(Buffer.alloc(1))], { type: 'image/png' })
    const stored = await visitor.storage.from('youth-awards-submissions').upload(path, picture)
    assert.equal(stored.error, null)
    const entered = await visitor.from('young_artist_entries').insert({
      entrant_name: name,
      age: 12,
      category: 'intermediate',
      parent_guardian_email: `parent${number}@example.org`,
      uploaded_files: [path],
    })
    assert.equal(entered.error, null)
  }

  const mails = await mailsTo('officer@example.org', pupils.length)
  assert.deepEqual(mails.map(({ subject }) => subject).sort(), pupils.map((name) => `Young Artist Entry - ${name}`).sort())
  for (const { html } of mails) assert.doesNotMatch(html, /not stored/)
  const office = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  const { count } = await office.from('young_artist_entries').select('*', { count: 'exact', head: true })
  assert.equal(count, pupils.length)
  for (const [number, name] of pupils.entries()) {
    const receipts = await mailsTo(`parent${number}@example.org`, 1)
    assert.deepEqual(receipts.map(({ subject }) => subject), ['We have received a Young Artist entry'])
    assert.ok(!receipts[0].html.includes(name), 'a receipt names a minor')
  }
})

test('thirty entries with one teacher’s address cause one receipt in an hour', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const visitor = createClient(cloch.url, cloch.anonKey, { global: { headers }, auth: { persistSession: false } })
  const enter = async (name) => {
    const entry = { entrant_name: name, age: 12, category: 'vocal', parent_guardian_email: 'teacher@example.org' }
    assert.equal((await visitor.from('young_musician_entries').insert(entry)).error, null)
  }
  await enter(pupils[0])
  await mailsTo('teacher@example.org', 1)
  for (const name of pupils.slice(1)) await enter(name)
  const announced = async () =>
    (await messagesTo(cloch.url, 'awards@example.org')).filter(({ subject }) => subject.startsWith('Young Musician Entry'))
  for (let attempt = 0; attempt < 600 && (await announced()).length < pupils.length; attempt += 1) await sleep(100)
  // The club has received a mail for each entry. The receipts were queued together with these mails, so they have been sent too.
  assert.equal((await announced()).length, pupils.length)
  assert.equal((await messagesTo(cloch.url, 'teacher@example.org')).length, 1)
})

test('calls of the mail function by a stranger are counted nevertheless', async () => {
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
