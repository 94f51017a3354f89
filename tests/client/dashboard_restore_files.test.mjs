/**
 * Black-box test of restoring files from a backup in the dashboard: required role, deleted and replaced files of a folder, restore under
 * another name, files that were changed after the list was shown, limits, a damaged backup, and the audit log.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { firstOperator, invited } from '../support/dashboard.mjs'
import { makeProject, sleep, start } from '../support/program.mjs'

const environment = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const SETUP = `
insert into storage.buckets (id, name) values ('papers', 'papers'), ('small', 'small');
create policy "Own files" on storage.objects for all to authenticated using (owner_id = auth.uid()::text) with check (bucket_id = 'papers');`
/** Two parts of a blob in the backup, because one part contains 8 MiB. */
const LARGE = randomBytes((8 << 20) + 1000)

let place, server, owner, developer, viewer, moment, member

const storage = (path, { method = 'GET', key = server.serviceKey, body, headers = {} } = {}) =>
  fetch(`${server.url}/storage/v1${path}`, { method, body, headers: { apikey: server.anonKey, authorization: `Bearer ${key}`, ...headers } })
const upload = async (bucket, name, body, { key, headers, method = 'POST' } = {}) => {
  const answer = await storage(`/object/${bucket}/${name}`, { method, key, body, headers: { 'content-type': 'text/plain', ...headers } })
  assert.equal(answer.status, 200, await answer.clone().text())
}
const drop = (bucket, names) => storage(`/object/${bucket}`, { method: 'DELETE', body: JSON.stringify({ prefixes: names }), headers: { 'content-type': 'application/json' } })
const download = async (bucket, name, key) => {
  const answer = await storage(`/object/${bucket}/${name}`, { key })
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : answer.status
}
const text = async (bucket, name, key) => {
  const found = await download(bucket, name, key)
  return Buffer.isBuffer(found) ? found.toString() : found
}
const until = async (is, ask) => {
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    const answer = await ask()
    if (is(answer)) return answer
    await sleep(100)
  }
  return assert.fail(server.output())
}
const state = () => owner.must('GET', '/restore-rows')
const find = (more = {}, status = 200) => owner.must('POST', '/restore-files/find', { bucket: 'papers', ...more }, status)
const apply = (files, bucket = 'papers', status = 200) => owner.must('POST', '/restore-files/apply', { bucket, files }, status)
const chosen = ({ name, version, now }, to = null) => ({ name, version, now: now?.version ?? null, to })
const one = async (name, bucket = 'papers') => (await find({ bucket, prefix: name })).files.find((file) => file.name === name)

before(async () => {
  place = await makeProject({ from: null, files: { 'migrations/1_storage.sql': SETUP } })
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${join(place.folder, 'target')}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`)
  server = await start(place, { environment })
  owner = await firstOperator(server)
  ;[developer, viewer] = [await invited(owner, 'developer'), await invited(owner, 'viewer')]
  const signUp = await fetch(`${server.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'member@club.example', password: 'a long password' }),
  })
  member = (await signUp.json()).access_token
  const metadata = { 'x-metadata': Buffer.from('{"author":"Ann"}').toString('base64') }
  await upload('papers', '2026/minutes.txt', 'The first minutes', { key: member, headers: { ...metadata, 'cache-control': 'max-age=77' } })
  await upload('papers', '2026/rules.txt', 'The old rules')
  await upload('papers', '2026/same.txt', 'Same')
  await upload('papers', 'large.bin', LARGE, { headers: { 'content-type': 'application/octet-stream' } })
  await upload('small', 'lost.txt', 'Its content is not in the backup')
  await until(({ restorable_from }) => restorable_from, state)
  moment = new Date()
  await until(({ restorable_until }) => new Date(restorable_until) > moment, state)
  await drop('papers', ['2026/minutes.txt', 'large.bin'])
  await drop('small', ['lost.txt'])
  await upload('papers', '2026/rules.txt', 'The new rules', { method: 'PUT' })
})
after(() => server?.remove())

test('only owners restore files, and only from a prepared copy', async () => {
  for (const path of ['/restore-files/find', '/restore-files/apply'])
    for (const who of [viewer, developer]) assert.equal((await who.send('POST', path, { bucket: 'papers', files: [] })).status, 403, path)
  assert.equal((await owner.send('POST', '/restore-files/apply', { bucket: 'papers', files: [] }, { headers: { 'x-cloch-csrf': 'wrong' } })).status, 403)
  await find({}, 409)
  await owner.must('POST', '/restore-rows', { to: moment.toISOString() }, 202)
  const { copy } = await until(({ copy: made }) => made?.state !== 'preparing', state)
  assert.equal(copy.state, 'ready', copy.message)
})

test('deleted and replaced files are found, in a folder and by a part of the name', async () => {
  const { files, compared, next, moment: at } = await find()
  assert.deepEqual(files.map(({ name, size, now }) => [name, size, now?.size ?? null]), [
    ['2026/minutes.txt', 17, null],
    ['2026/rules.txt', 13, 13],
    ['large.bin', LARGE.length, null],
  ])
  assert.deepEqual([compared, next, new Date(at)], [4, null, moment])
  assert.deepEqual((await find({ prefix: '2026/' })).files.map(({ name }) => name), ['2026/minutes.txt', '2026/rules.txt'])
  assert.deepEqual((await find({ search: 'MINUTES' })).files.map(({ name }) => name), ['2026/minutes.txt'])
  assert.deepEqual((await find({ search: "' or true --" })).files, [])
  assert.deepEqual((await find({ after: '2026/rules.txt' })).files.map(({ name }) => name), ['large.bin'])
  await find({ bucket: 'nowhere' }, 404)
})

test('a deleted file is restored with its type, metadata and owner', async () => {
  assert.deepEqual(await apply([chosen(await one('2026/minutes.txt'))]), { restored: ['2026/minutes.txt'], failed: [] })
  assert.equal(await text('papers', '2026/minutes.txt', member), 'The first minutes', 'its owner may read it')
  const info = await (await storage('/object/info/papers/2026/minutes.txt')).json()
  assert.deepEqual([info.content_type, info.cache_control, info.metadata], ['text/plain', 'max-age=77', { author: 'Ann' }])
})

test('a replaced file is restored under another name, then in place', async () => {
  const file = await one('2026/rules.txt')
  assert.deepEqual((await apply([chosen(file, '2026/rules (old).txt')])).restored, ['2026/rules (old).txt'])
  assert.deepEqual([await text('papers', '2026/rules (old).txt'), await text('papers', '2026/rules.txt')], ['The old rules', 'The new rules'])
  const taken = await apply([chosen(file, '2026/same.txt')])
  assert.deepEqual([taken.restored, /taken/.test(taken.failed[0].message)], [[], true])
  assert.deepEqual((await apply([chosen(file)])).restored, ['2026/rules.txt'])
  assert.equal(await text('papers', '2026/rules.txt'), 'The old rules')
})

test('a file that has changed since the list is not replaced', async () => {
  await upload('papers', '2026/rules.txt', 'The newest rules', { method: 'PUT' })
  const file = await one('2026/rules.txt')
  await upload('papers', '2026/rules.txt', 'Newer still', { method: 'PUT' })
  const { restored, failed } = await apply([chosen(file)])
  assert.deepEqual([restored, failed.length], [[], 1])
  assert.match(failed[0].message, /has changed since the list was made/)
  assert.equal(await text('papers', '2026/rules.txt'), 'Newer still')
})

test('a file of several parts is restored completely', async () => {
  assert.deepEqual((await apply([chosen(await one('large.bin'))])).failed, [])
  assert.ok((await download('papers', 'large.bin')).equals(LARGE))
})

test('an empty, duplicate or unknown selection is refused', async () => {
  const file = await one('2026/rules.txt')
  await apply([], 'papers', 400)
  await apply(Array.from({ length: 101 }, (_, number) => ({ ...chosen(file), name: `${number}` })), 'papers', 400)
  await apply([chosen(file), chosen(file)], 'papers', 400)
  const { failed } = await apply([{ name: 'nothing.txt', version: 'x', now: null, to: null }])
  assert.match(failed[0].message, /no such file/)
  const wrong = await apply([{ ...chosen(file), version: 'another' }])
  assert.match(wrong.failed[0].message, /another version/)
})

test('a file whose content is missing in the backup has an error, and nothing is stored', async () => {
  const file = await one('lost.txt', 'small')
  const blobs = join(place.folder, 'target/v2/blobs')
  for (const name of readdirSync(blobs, { recursive: true })) if (name.includes(file.version)) rmSync(join(blobs, name))
  const { restored, failed } = await apply([chosen(file)], 'small')
  assert.deepEqual(restored, [])
  assert.match(failed[0].message, /cannot be read from the backup.*missing in the backup/)
  assert.notEqual((await storage('/object/small/lost.txt')).status, 200)
})

test('the audit log contains bucket, moment and files, and no content', async () => {
  const { entries } = await owner.must('GET', '/audit?action=restore_files.&limit=200')
  const applied = entries.filter(({ action, status, details }) => action === 'restore_files.apply' && status === 200 && details.restored > 0)
  assert.deepEqual(applied.map(({ details }) => [details.bucket, details.paths, new Date(details.moment) - moment]).reverse(), [
    ['papers', ['2026/minutes.txt'], 0],
    ['papers', ['2026/rules (old).txt'], 0],
    ['papers', ['2026/rules.txt'], 0],
    ['papers', ['large.bin'], 0],
  ])
  assert.ok(entries.some(({ action }) => action === 'restore_files.find'))
  assert.ok(!JSON.stringify(entries).includes('The old rules'))
})
