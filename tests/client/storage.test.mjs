/** Files through the unmodified clients: storage-js, tus-js-client and boto3. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'

import { StorageClient } from '@supabase/storage-js'
import { createClient } from '@supabase/supabase-js'
import * as tus from 'tus-js-client'

import { makeProject, start } from '../support/program.mjs'
import { signToken } from '../support/tokens.mjs'

const user = '6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10'
const migration = `
  create policy "entrants send" on storage.objects for insert to anon with check (bucket_id = 'entries');
  create policy "owners read" on storage.objects for select to authenticated using (owner_id = (select auth.uid()::text));
  create policy "owners send" on storage.objects for insert to authenticated with check (bucket_id = 'entries');
  create policy "owners change" on storage.objects for update to authenticated using (owner_id = (select auth.uid()::text));
  create policy "owners delete" on storage.objects for delete to authenticated using (owner_id = (select auth.uid()::text));
`

let place, cloch, anon, member, service
const bearer = (claims) => signToken(cloch.keys.JWT_SECRET, { exp: 4102444800, ...claims })
const client = (key, token = key) =>
  createClient(cloch.url, key, { global: { headers: { Authorization: `Bearer ${token}` } }, auth: { persistSession: false } }).storage

before(async () => {
  const files = { 'migrations/20260101000000_policies.sql': migration }
  place = await makeProject({ from: null, files })
  cloch = await start(place)
  anon = client(cloch.anonKey)
  member = client(cloch.anonKey, bearer({ role: 'authenticated', sub: user }))
  service = client(cloch.serviceKey)
  for (const [name, open] of [['entries', false], ['open', true]]) {
    const { error } = await service.createBucket(name, { public: open })
    assert.equal(error, null)
  }
})
after(() => cloch?.remove())

const done = ({ data, error }) => {
  assert.equal(error, null)
  return data
}
const text = async (blob) => Buffer.from(await blob.arrayBuffer()).toString()

test('buckets', async () => {
  assert.deepEqual(done(await anon.listBuckets()), [])
  assert.equal((await anon.createBucket('mine')).error.message, 'new row violates row-level security policy')
  assert.equal((await anon.getBucket('open')).error.status, 400)
  done(await service.createBucket('temporary', { public: false, fileSizeLimit: '1MB', allowedMimeTypes: ['image/*'] }))
  done(await service.updateBucket('temporary', { public: true }))
  assert.equal(done(await service.getBucket('temporary')).public, true)
  done(await service.emptyBucket('temporary'))
  done(await service.deleteBucket('temporary'))
  assert.equal((await service.getBucket('temporary')).error.statusCode, '404')
})

test('a caller who may only upload cannot do anything else', async () => {
  const entry = new Blob(['scan'], { type: 'text/plain' })
  const sent = done(await anon.from('entries').upload('form/scan 1.txt', entry, { cacheControl: '60' }))
  assert.equal(sent.fullPath, 'entries/form/scan 1.txt')
  assert.equal((await anon.from('entries').upload('form/scan 1.txt', entry)).error.statusCode, '409')
  assert.equal((await anon.from('entries').upload('form/scan 1.txt', entry, { upsert: true })).error.statusCode, '403')
  assert.ok((await anon.from('entries').download('form/scan 1.txt')).error)
  assert.deepEqual(done(await anon.from('entries').list('form')), [])
  assert.ok((await anon.from('entries').createSignedUrl('form/scan 1.txt', 60)).error)
  assert.deepEqual(done(await anon.from('entries').remove(['form/scan 1.txt'])), [])
  assert.equal(await text(done(await service.from('entries').download('form/scan 1.txt'))), 'scan')
})

test('every method of an owner', async () => {
  const files = member.from('entries')
  done(await files.upload('a/b.txt', 'hello', { contentType: 'text/plain', metadata: { colour: 'red' } }))
  done(await files.update('a/b.txt', 'hello again', { contentType: 'text/plain' }))
  assert.equal(await text(done(await files.download('a/b.txt'))), 'hello again')
  assert.equal(done(await files.info('a/b.txt')).contentType, 'text/plain')
  assert.equal(done(await files.exists('a/b.txt')), true)
  assert.equal((await files.exists('a/none')).data, false)
  assert.deepEqual(done(await files.list('a')).map((entry) => entry.name), ['b.txt'])
  assert.equal(done(await files.listV2({ prefix: 'a/' })).objects[0].name, 'a/b.txt')
  done(await files.copy('a/b.txt', 'a/c.txt'))
  done(await files.move('a/c.txt', 'd/e f.txt'))
  const { signedUrl } = done(await files.createSignedUrl('d/e f.txt', 60, { download: 'saved.txt' }))
  const answer = await fetch(signedUrl)
  assert.equal(await answer.text(), 'hello again')
  assert.match(answer.headers.get('content-disposition'), /filename=saved\.txt;/)
  const links = done(await files.createSignedUrls(['a/b.txt', 'none'], 60))
  assert.equal(await (await fetch(links[0].signedUrl)).text(), 'hello again')
  assert.equal(links[1].signedUrl, null)
  const { token } = done(await files.createSignedUploadUrl('signed.txt'))
  done(await anon.from('entries').uploadToSignedUrl('signed.txt', token, 'by link', { contentType: 'text/plain' }))
  assert.equal(await text(done(await files.download('signed.txt'))), 'by link')
  const removed = done(await files.remove(['a/b.txt', 'd/e f.txt', 'signed.txt', 'none']))
  assert.equal(removed.length, 3)
})

test('public files and rendered images', async () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==', 'base64')
  done(await service.from('open').upload('p.png', png, { contentType: 'image/png' }))
  const plain = await fetch(anon.from('open').getPublicUrl('p.png').data.publicUrl)
  assert.deepEqual(Buffer.from(await plain.arrayBuffer()), png)
  const rendered = await fetch(anon.from('open').getPublicUrl('p.png', { transform: { width: 1, format: 'origin' } }).data.publicUrl)
  assert.equal(rendered.headers.get('content-type'), 'image/png')
  const range = await fetch(anon.from('open').getPublicUrl('p.png').data.publicUrl, { headers: { range: 'bytes=1-3' } })
  assert.equal(await range.text(), 'PNG')
})

test('the length of an empty file is 0, even if a request does not ask for its bytes', async () => {
  done(await service.from('open').upload('empty', new Uint8Array(0)))
  const path = `/storage/v1/object/public/open/empty`
  for (const method of ['GET', 'HEAD']) assert.equal((await fetch(cloch.url + path, { method })).headers.get('content-length'), '0', method)
})

test('features of Supabase beyond files are refused with the reason', async () => {
  const refused = await service.analytics.listBuckets()
  assert.deepEqual([refused.data, refused.error.message], [null, 'Analytics buckets are not enabled'])
  // With a nonce, the same file has another URL.
  const { data } = anon.from('open').getPublicUrl('p.png', { cacheNonce: 'a b' })
  assert.match(data.publicUrl, /cacheNonce=a(\+|%20)b/)
  assert.equal((await fetch(data.publicUrl)).status, 200)
  const files = newest(cloch.serviceKey).from('open')
  const nonces = [
    done(await files.createSignedUrl('p.png', 60, { cacheNonce: '7' })).signedUrl,
    done(await files.createSignedUrls(['p.png'], 60, { cacheNonce: '7' }))[0].signedUrl,
    done(await files.createSignedUrl('p.png', 60, { cacheNonce: '7', transform: { width: 5 } })).signedUrl,
    files.getPublicUrl('p.png', { cacheNonce: '7', transform: { width: 5 } }).data.publicUrl,
  ]
  for (const url of nonces) {
    assert.match(url, /cacheNonce=7/)
    assert.equal((await fetch(url)).status, 200, url)
  }
  const plain = await done(await files.download('p.png')).arrayBuffer()
  assert.deepEqual(await done(await files.download('p.png', { cacheNonce: '8' })).arrayBuffer(), plain)
  // Caches revalidate every response, so there is no cache to purge. As in Supabase, the server first refuses callers without the permission.
  for (const storage of [newest(cloch.anonKey), newest(cloch.serviceKey)]) {
    const expected = storage.headers.apikey === cloch.anonKey ? 'Access denied: Invalid role' : 'Missing Required Parameter CDN_PURGE_ENDPOINT_URL is not set'
    for (const { data, error } of [await storage.from('open').purgeCache('p.png'), await storage.purgeBucketCache('open', { transformations: true })]) {
      assert.deepEqual([data, error.message], [null, expected])
    }
  }
})

/** The newest version of the client, which supports versions, lifecycle rules and nonces. */
const newest = (key, token = key) =>
  new StorageClient(`${cloch.url}/storage/v1`, { apikey: key, Authorization: `Bearer ${token}` })

test('versions of objects: stored, listed, read, restored and deleted', async () => {
  const storage = newest(cloch.serviceKey)
  assert.equal((await storage.updateBucket('none', { public: false, versioningStatus: 'ENABLED' })).error.message, 'Bucket not found')
  assert.equal((await storage.createBucket('history', { public: false, versioningStatus: 'SUSPENDED' })).error.status, 400)
  done(await storage.createBucket('history', { public: false, versioningStatus: 'ENABLED' }))
  assert.equal((await storage.updateBucket('history', { public: false, versioningStatus: 'DISABLED' })).error.status, 400)
  assert.equal(done(await storage.getBucket('history')).versioning_status, 'ENABLED')
  const files = storage.from('history')
  for (const words of ['one', 'two', 'three']) done(await files.upload('dir/a.txt', words, { upsert: true }))
  const versions = async (options) => done(await files.listV2({ prefix: 'dir/', ...options })).objects
  const all = await versions({ noncurrentVersions: 'include' })
  assert.deepEqual(all.map((version) => version.archived_at === null), [true, false, false])
  assert.equal((await versions({})).length, 1)
  const first = all[2].version
  assert.equal(await text(done(await files.download('dir/a.txt', { versionId: first }))), 'one')
  assert.equal(done(await files.info('dir/a.txt', { versionId: first })).version, first)
  const { signedUrl } = done(await files.createSignedUrl('dir/a.txt', 60, { versionId: first, cacheNonce: '7' }))
  assert.equal(await (await fetch(signedUrl)).text(), 'one')
  assert.equal((await fetch(files.getPublicUrl('dir/a.txt', { versionId: first }).data.publicUrl)).status, 400)
  assert.equal((await newest(cloch.anonKey).from('history').download('dir/a.txt', { versionId: first })).error.status, 400)

  done(await files.remove(['dir/a.txt']))
  await assert.rejects(async () => { if ((await files.exists('dir/a.txt')).data === false) throw new Error('gone') }, /gone/)
  const [marker] = await versions({ deleteMarkers: 'only' })
  assert.deepEqual([marker.is_delete_marker, marker.archived_at], [true, null])
  done(await files.move('dir/a.txt', 'dir/a.txt', { sourceVersionId: first }))
  assert.equal(await text(done(await files.download('dir/a.txt'))), 'one')
  done(await files.copy('dir/a.txt', 'dir/b.txt', { sourceVersionId: all[1].version }))
  assert.equal(await text(done(await files.download('dir/b.txt'))), 'two')
  const gone = done(await files.remove([{ path: 'dir/a.txt', versionId: all[1].version }, 'dir/b.txt']))
  assert.deepEqual(gone.map((file) => file.version).includes(all[1].version), true)
  assert.equal((await files.download('dir/a.txt', { versionId: all[1].version })).error.status, 400)
  const listed = done(await files.list('dir', { noncurrentVersions: 'include', deleteMarkers: 'include' }))
  assert.deepEqual([...new Set(listed.map((file) => file.name))], ['a.txt', 'b.txt'])
  done(await storage.emptyBucket('history'))
  done(await storage.deleteBucket('history'))
})

test('lifecycle rules of a bucket', async () => {
  const storage = newest(cloch.serviceKey)
  done(await storage.createBucket('rules', { public: false }))
  assert.equal((await storage.getBucketLifecycle('rules')).error.code, 'NoSuchLifecycleConfiguration')
  const rule = { status: 'Enabled', filter: {}, noncurrentVersionExpiration: { noncurrentDays: 30, newerNoncurrentVersions: 2 } }
  for (const rules of [[], [{ ...rule, filter: { tag: 'x' } }], [{ status: 'Enabled', filter: {} }]]) {
    assert.equal((await storage.updateBucketLifecycle('rules', { rules })).error.status, 400)
  }
  assert.equal((await newest(cloch.anonKey).updateBucketLifecycle('rules', { rules: [rule] })).error.message, 'Bucket not found')
  const stored = done(await storage.updateBucketLifecycle('rules', { rules: [rule] }))
  assert.deepEqual(stored.rules, [{ ...rule, id: stored.rules[0].id }])
  assert.deepEqual(done(await storage.getBucketLifecycle('rules')), stored)
  assert.deepEqual(done(await storage.deleteBucketLifecycle('rules')), { message: 'Successfully deleted' })
  done(await storage.deleteBucketLifecycle('rules'))
  done(await storage.deleteBucket('rules'))
})

/** Uploads a file with tus-js-client, as in Supabase's documentation. `at` is called for each chunk and may interrupt the upload. */
const resumable = (name, bytes, at = () => {}, options = {}) =>
  new Promise((resolve, reject) => {
    const upload = new tus.Upload(bytes, {
      endpoint: `${cloch.url}/storage/v1/upload/resumable`,
      retryDelays: [0, 200, 500, 1000, 2000, 4000, 8000],
      headers: { authorization: `Bearer ${cloch.anonKey}` },
      uploadDataDuringCreation: true,
      metadata: { bucketName: 'entries', objectName: name, contentType: 'application/pdf', cacheControl: '3600' },
      chunkSize: 6 * 1024 * 1024,
      onError: reject,
      onChunkComplete: (_, sent) => at(sent, upload),
      onSuccess: () => resolve(upload),
      ...options,
    })
    upload.start()
  })
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')

test('a resumable upload continues after failures of the client, the server and the network', async () => {
  const bytes = randomBytes(21 * 1024 * 1024 + 17)
  const broken = new Set()
  await resumable('large.pdf', bytes, async (sent, upload) => {
    if (!broken.has('client')) {
      broken.add('client')
      // The client aborts a request, and later continues at the offset that the server reports.
      setTimeout(async () => {
        await upload.abort()
        setTimeout(() => upload.start(), 100)
      }, 5)
    } else if (!broken.has('server') && sent > 9_000_000) {
      broken.add('server')
      await cloch.kill()
      cloch = await start(place)
    }
  })
  assert.deepEqual([...broken], ['client', 'server'])
  const stored = done(await client(cloch.serviceKey).from('entries').download('large.pdf'))
  assert.equal(digest(Buffer.from(await stored.arrayBuffer())), digest(bytes))
})

test('a resumable upload works without PATCH, and parallel uploads are refused', async () => {
  const bytes = randomBytes(100_000)
  await resumable('posted.pdf', bytes, undefined, { overridePatchMethod: true, uploadDataDuringCreation: false, chunkSize: 60_000 })
  const stored = done(await client(cloch.serviceKey).from('entries').download('posted.pdf'))
  assert.equal(digest(Buffer.from(await stored.arrayBuffer())), digest(bytes))
  const parallel = resumable('parallel.pdf', bytes, undefined, { parallelUploads: 2, retryDelays: [], metadataForPartialUploads: { bucketName: 'entries', objectName: 'part' } })
  await assert.rejects(parallel, /response code: 501, response text: Concatenation extension is not/)
  assert.deepEqual(done(await client(cloch.serviceKey).from('entries').list('', { search: 'par' })), [])
})

test('an Authorization value without a scheme is used as the token', async () => {
  const token = bearer({ role: 'authenticated', sub: user })
  const ask = (authorization, path = 'object/list/entries', headers = {}) =>
    fetch(`${cloch.url}/storage/v1/${path}`, {
      method: 'POST', headers: { authorization, 'content-type': 'application/json', ...headers }, body: JSON.stringify({ prefix: '' }),
    })
  for (const wrong of ['nonsense', 'Basic YTpi', 'Token x', `${token}x`, 'a.b.c', 'Bearer', `Basic ${token}`, cloch.keys.SECRET_KEY]) {
    const answer = await ask(wrong, undefined, { apikey: cloch.anonKey })
    assert.equal(answer.status, 400, wrong)
    const { statusCode, error, code } = await answer.json()
    assert.deepEqual({ statusCode, error, code }, { statusCode: '403', error: 'Unauthorized', code: 'AccessDenied' }, wrong)
  }
  assert.equal((await (await ask('nonsense')).json()).message, 'Invalid Compact JWS')
  assert.equal((await (await ask(bearer({ role: 'anon', exp: 1 }))).json()).message, '"exp" claim timestamp check failed')
  assert.equal((await ask(token)).status, 200)
  // The Authorization header determines the caller. The test sends the tokens of a caller who may create a bucket and of a caller who may not.
  const create = (authorization) =>
    fetch(`${cloch.url}/storage/v1/bucket`, {
      method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify({ name: 'by-token' }),
    })
  assert.equal((await (await create(token)).json()).code, 'AccessDenied')
  assert.equal((await create(cloch.serviceKey)).status, 200)
  // The table REST still ignores an Authorization header that contains no bearer token.
  const rest = await fetch(`${cloch.url}/rest/v1/`, { headers: { authorization: 'Basic YTpi', apikey: cloch.anonKey } })
  assert.equal(rest.status, 200)
})

test('the S3 protocol through boto3', { skip: process.env.CLOCH_TEST_PYTHON ? false : 'CLOCH_TEST_PYTHON is not set' }, () => {
  const { STORAGE_S3_URL, S3_PROTOCOL_REGION, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET, PROJECT_REF, ANON_KEY } = cloch.keys
  const token = bearer({ role: 'authenticated', sub: user })
  const script = new URL('s3.py', import.meta.url).pathname
  const said = execFileSync(process.env.CLOCH_TEST_PYTHON, [
    script, STORAGE_S3_URL, S3_PROTOCOL_REGION, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET, 'test', PROJECT_REF, ANON_KEY, token,
  ])
  assert.equal(said.toString().trim(), 'ok')
})
