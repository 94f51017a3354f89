/** Visitors can download the published pictures of the website. They get no URL that would still work after a picture is withdrawn. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'

import { StorageClient } from '@supabase/storage-js'
import { createClient } from '@supabase/supabase-js'

import { startProject } from '../support/program.mjs'

const bucket = 'youth-awards-submissions'
const sitePicture = 'events/1760000000000-cup.jpg'
const demo = new URL('../../supabase-config/demo/objects/youth-awards-submissions/artist/theo-rankin/1767225600000-theo-rankin.jpg', import.meta.url)
const picture = () => new Blob([readFileSync(demo)], { type: 'image/jpeg' })
const artist = { age: 15, parent_guardian_email: 'parent@example.org', category: 'Senior', publicity_consent: 'agree' }

let cloch, visitor, service
const must = async (request) => {
  const { data, error } = await request
  assert.equal(error, null)
  return data
}
let clock = Date.now()
/** Creates an entry with a published picture. */
async function published(name) {
  const path = `artist/${name}/${(clock += 1)}-${name}.jpg`
  await must(visitor.storage.from(bucket).upload(path, picture(), { contentType: 'image/jpeg' }))
  const { id } = await must(service.from('young_artist_entries').insert({ ...artist, entrant_name: name, uploaded_files: [path] }).select('id').single())
  await must(service.from('site_results').insert({ award: 'artist', entry: id, kind: 'picture' }))
  await must(service.rpc('publish_site'))
  return { id, path }
}

before(async () => {
  cloch = await startProject()
  const options = { auth: { persistSession: false } }
  visitor = createClient(cloch.url, cloch.anonKey, options)
  service = createClient(cloch.url, cloch.serviceKey, options)
})
after(() => cloch?.remove())

test('a published picture is downloaded, in full and reduced size, until its entry is withdrawn', async () => {
  const { id, path } = await published('ann')
  const files = visitor.storage.from(bucket)
  assert.equal((await files.download(path)).error, null)
  assert.equal((await files.download(path, { transform: { width: 100 } })).error, null)
  await must(service.from('young_artist_entries').update({ withdrawn_at: new Date().toISOString() }).eq('id', id))
  assert.notEqual((await files.download(path)).error, null)
  assert.notEqual((await files.download(path, { transform: { width: 100 } })).error, null)
})

test('visitors cannot sign links to a published picture, copy it or list the bucket', async () => {
  const { path } = await published('bob')
  await must(service.storage.from('site-pictures').upload(sitePicture, picture(), { contentType: 'image/jpeg' }))
  const [event] = await must(service.from('site_events').select('id').limit(1))
  await must(service.from('site_events').update({ picture: sitePicture, picture_alt: 'A cup' }).eq('id', event.id))
  await must(service.rpc('publish_site'))
  for (const [from, name] of [
    [bucket, path],
    ['site-pictures', sitePicture],
  ]) {
    const files = visitor.storage.from(from)
    assert.equal((await files.download(name)).error, null, from)
    assert.notEqual((await files.createSignedUrl(name, 60)).error, null, from)
    const signed = await files.createSignedUrls([name], 60)
    assert.deepEqual(signed.data?.filter(({ signedUrl }) => signedUrl) ?? [], [], from)
    assert.notEqual((await files.copy(name, `artist/eve/${(clock += 1)}-copy.jpg`, { destinationBucket: bucket })).error, null, from)
    assert.deepEqual((await files.list('')).data ?? [], [], from)
  }
})

test('links to pictures of the website expire after a minute, for every role', async () => {
  const { data } = await service.auth.admin.createUser({ email: 'admin@example.org', password: 'a long password 1', email_confirm: true })
  await must(service.from('user_roles').insert({ user_id: data.user.id, role: 'admin' }))
  const admin = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
  await must(admin.auth.signInWithPassword({ email: 'admin@example.org', password: 'a long password 1' }))
  assert.equal((await admin.storage.from('site-pictures').createSignedUrl(sitePicture, 60)).error, null)
  assert.notEqual((await admin.storage.from('site-pictures').createSignedUrl(sitePicture, 61)).error, null)
})

/** Creates the newest storage client. It supports versions. */
const newest = (key) => new StorageClient(`${cloch.url}/storage/v1`, { apikey: key, Authorization: `Bearer ${key}` })

test('visitors read the current version of a picture and no replaced version', async () => {
  const { path } = await published('cat')
  const storage = newest(cloch.serviceKey)
  await must(storage.updateBucket(bucket, { public: false, versioningStatus: 'ENABLED' }))
  const files = storage.from(bucket)
  await must(files.update(path, picture(), { contentType: 'image/jpeg' }))
  const { version } = await must(files.info(path))
  await must(files.update(path, picture(), { contentType: 'image/jpeg' }))
  const visitors = newest(cloch.anonKey).from(bucket)
  await must(files.download(path, { versionId: version }))
  await must(visitors.download(path))
  assert.notEqual((await visitors.download(path, { versionId: version })).error, null)
})
