/**
 * A visitor's row may refer only to files that the visitor has sent with it. Otherwise the row could show, keep or delete the files of other
 * visitors.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { startProject } from '../support/program.mjs'

const bucket = 'youth-awards-submissions'
const artist = { entrant_name: 'Isla Sample', age: 12, parent_guardian_email: 'parent@example.org', category: 'Junior' }
const extra = { kind: 'additional', entrant_name: 'Isla Sample', organisation: 'Sample School' }

let cloch, visitor, service
before(async () => {
  cloch = await startProject()
  visitor = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
  service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
})
after(() => cloch?.remove())

let clock = Date.now()
/** Uploads a file as the forms do. Returns its path. */
async function sent(folder) {
  const path = `${folder}/${(clock += 1)}-letter.txt`
  const { error } = await visitor.storage.from(bucket).upload(path, 'a letter', { contentType: 'text/plain' })
  assert.equal(error, null)
  return path
}
const insert = async (table, row) => {
  const { error, status } = await visitor.from(table).insert({ submission_key: randomUUID(), ...row })
  return error ? error.code : status
}

test('a row can refer to the files that were sent with it, and a retry is told that the row exists', async () => {
  const row = { ...artist, uploaded_files: [await sent('artist/isla-sample')], submission_key: randomUUID() }
  assert.equal(await insert('young_artist_entries', row), 201)
  assert.equal(await insert('young_artist_entries', row), '23505')
  assert.equal(await insert('extra_files', { ...extra, uploaded_files: [await sent('artist/isla-sample')] }), 201)
})

test('pictures of photographers are in the same folder as those of artists', async () => {
  const { entrant_name, age, parent_guardian_email } = artist
  const row = { entrant_name, age, parent_guardian_email, category: 'Senior', uploaded_files: [await sent('artist/isla-sample')] }
  assert.equal(await insert('young_photographer_entries', row), 201)
})

test('a row that refers to a file of another row or form is refused', async () => {
  const path = await sent('artist/isla-sample')
  assert.equal(await insert('young_artist_entries', { ...artist, uploaded_files: [path] }), 201)
  assert.equal(await insert('young_artist_entries', { ...artist, entrant_name: 'Eve', uploaded_files: [path] }), '23514')
  const later = await sent('additional-files/isla-sample')
  assert.equal(await insert('extra_files', { ...extra, uploaded_files: [later] }), 201)
  assert.equal(await insert('extra_files', { ...extra, entrant_name: 'Eve', uploaded_files: [later] }), '23514')
  for (const other of [later, await sent('young-citizen/isla-sample'), 'exports/all.csv'])
    assert.equal(await insert('young_artist_entries', { ...artist, entrant_name: 'Eve', uploaded_files: [other] }), '23514', other)
  assert.equal(await insert('extra_files', { ...extra, uploaded_files: [path] }), '23514')
})

test('deleting an entry does not list a file that was sent later for another person into the same folder', async () => {
  const theirs = await sent('artist/kept-child')
  assert.equal(await insert('young_artist_entries', { ...artist, entrant_name: 'Kept Child', uploaded_files: [theirs] }), 201)
  const later = await sent('additional-files/kept-child')
  assert.equal(await insert('extra_files', { ...extra, entrant_name: 'Kept Child', uploaded_files: [later] }), 201)
  const beside = 'additional-files/kept-child/1790000000000-x.png'
  const spam = await service.from('young_artist_entries').insert({ ...artist, entrant_name: 'Spam', uploaded_files: [beside] }).select('id').single()
  assert.equal(spam.error, null)
  const files = async (id) => (await service.rpc('entry_files', { award: 'artist', entry: id })).data.map((file) => file.name)
  assert.deepEqual(await files(spam.data.id), [])
  const own = await service.from('young_artist_entries').select('id').eq('entrant_name', 'Kept Child').single()
  assert.deepEqual(await files(own.data.id), [later, theirs])
})
