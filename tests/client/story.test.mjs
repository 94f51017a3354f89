/**
 * The club's main task with the unmodified client: a visitor sends a nomination with files, the club gets a mail, and an admin reads the nomination
 * and the files.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { authLink, messageTo } from '../support/inbox.mjs'
import { startProject } from '../support/program.mjs'

const bucket = 'youth-awards-submissions'
const pdf = new Blob(['%PDF-1.4\n% a nomination\n'], { type: 'application/pdf' })
const nomination = {
  nomination_type: 'individual',
  nominee_name: 'Eilidh "O’Neil" 🎻',
  nominee_age: 14,
  parent_guardian_email: 'parent@example.org',
  nominator_name: 'Ann Teacher',
  nominator_email: 'ann@example.org',
  key_achievement: 'Ran the food bank',
  why_deserving: 'Every week, in every weather',
}

let cloch
let visitor
before(async () => {
  cloch = await startProject()
  visitor = createClient(cloch.url, cloch.anonKey)
})
after(() => cloch?.remove())

/** Invites an admin and signs the admin in with the link in the mail, as a person would. */
async function admin() {
  const address = 'admin@example.org'
  const invited = await visitor.functions.invoke('send-invite', { body: { email: address } })
  assert.equal(invited.error, null)
  const link = authLink(await messageTo(cloch.url, address))
  const answer = await fetch(link, { redirect: 'manual' })
  assert.equal(answer.status, 303)
  const fragment = new URLSearchParams(new URL(answer.headers.get('location')).hash.slice(1))
  const client = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
  const session = await client.auth.setSession({
    access_token: fragment.get('access_token'),
    refresh_token: fragment.get('refresh_token'),
  })
  assert.equal(session.error, null)
  const changed = await client.auth.updateUser({ password: 'a lighthouse on the Clyde' })
  assert.equal(changed.error, null)
  await client.auth.signOut()
  const signedIn = await client.auth.signInWithPassword({ email: address, password: 'a lighthouse on the Clyde' })
  assert.equal(signedIn.error, null)
  return client
}

test('a visitor cannot read any row back', async () => {
  for (const table of ['young_citizen_nominations', 'schools', 'user_roles', 'invited_guests']) {
    const { data, error } = await visitor.from(table).select('*')
    assert.equal(data, null, table)
    assert.equal(error.code, '42501', table)
  }
  const { data } = await visitor.storage.from(bucket).list('young-citizen')
  assert.deepEqual(data, [])
})

test('a visitor cannot set columns that no form contains', async () => {
  const { error } = await visitor.from('young_citizen_nominations').insert({ ...nomination, created_at: '2020-01-01' })
  assert.equal(error.code, '42501')
})

test('files are accepted only under the rules of the bucket', async () => {
  const upload = (path, file) => visitor.storage.from(bucket).upload(path, file, { cacheControl: '3600' })
  const refused = {
    'a folder that is no form': await upload('elsewhere/ann/1-a.pdf', pdf),
    'a type that is not allowed': await upload('young-citizen/ann/1-a.exe', new Blob(['MZ'], { type: 'application/x-msdownload' })),
    'a file over the limit': await upload('young-citizen/ann/1-a.pdf', new Blob([new Uint8Array(10 * 1024 * 1024 + 1)], { type: 'application/pdf' })),
    'a path upwards': await upload('young-citizen/../../etc/1-a.pdf', pdf),
  }
  for (const [what, { data, error }] of Object.entries(refused)) {
    assert.equal(data, null, what)
    assert.ok(error, what)
  }
})

test('a nomination is stored: the row, both files, the mail; and an invited admin reads them', async () => {
  const jpeg = new Blob([new Uint8Array([0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 2, 3])], { type: 'image/jpeg' })
  const paths = [`young-citizen/eilidh-o-neil/${Date.now()}-letter.pdf`, `young-citizen/eilidh-o-neil/${Date.now()}-photo.jpg`]
  for (const [path, file] of [[paths[0], pdf], [paths[1], jpeg]]) {
    const { data, error } = await visitor.storage.from(bucket).upload(path, file, { cacheControl: '3600', upsert: false })
    assert.equal(error, null)
    assert.equal(data.path, path)
  }
  const overwritten = await visitor.storage.from(bucket).upload(paths[0], jpeg, { upsert: true })
  assert.ok(overwritten.error, 'nobody overwrites an entry')

  const { error } = await visitor.from('young_citizen_nominations').insert({ ...nomination, uploaded_files: paths })
  assert.equal(error, null)
  const mailed = await visitor.functions.invoke('send-email', {
    body: {
      to: ['awards@example.org'],
      subject: `Young Citizen Award Nomination - ${nomination.nominee_name}`,
      message: '<h2>Nomination</h2><script>alert(1)</script>',
      name: nomination.nominator_name,
      attachments: paths,
    },
  })
  assert.equal(mailed.error, null)
  const mail = await messageTo(cloch.url, 'awards@example.org')
  assert.match(mail.subject, /Eilidh/)
  assert.doesNotMatch(mail.html, /<script/)

  const desk = await admin()
  const read = await desk.from('young_citizen_nominations').select('*').single()
  assert.equal(read.error, null)
  assert.equal(read.data.nominee_name, nomination.nominee_name)
  assert.deepEqual(read.data.uploaded_files, paths)
  for (const [path, file] of [[paths[0], pdf], [paths[1], jpeg]]) {
    const downloaded = await desk.storage.from(bucket).download(path)
    assert.deepEqual(await downloaded.data.bytes(), await file.bytes())
    const signed = await desk.storage.from(bucket).createSignedUrl(path, 3600)
    const opened = await fetch(signed.data.signedUrl)
    assert.equal(opened.status, 200)
    assert.equal(opened.headers.get('x-content-type-options'), 'nosniff')
  }
})

test('an account without the role sees no data', async () => {
  const client = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
  const address = 'curious@example.org'
  const signedUp = await client.auth.signUp({ email: address, password: 'just looking around' })
  assert.equal(signedUp.error, null)
  await fetch(authLink(await messageTo(cloch.url, address)), { redirect: 'manual' })
  const signedIn = await client.auth.signInWithPassword({ email: address, password: 'just looking around' })
  assert.equal(signedIn.error, null)
  const { data: isAdmin } = await client.rpc('has_role', { _user_id: signedIn.data.user.id, _role: 'admin' })
  assert.equal(isAdmin, false)
  const { data } = await client.from('young_citizen_nominations').select('*')
  assert.deepEqual(data ?? [], [])
})
