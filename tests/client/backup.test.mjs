/**
 * A server is restored from a backup: rows, files, users and secrets, as of the last moment and as of an earlier moment. If a restore is not
 * possible, the command creates nothing and prints the reason.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, sleep, start } from '../support/program.mjs'

const migration = `
create table public.notes (id bigint primary key, body text not null);
insert into storage.buckets (id, name, public) values ('files', 'files', false);
`
const passphrase = 'a passphrase that is long enough'
const user = { email: 'keeper@example.org', password: 'correct horse battery' }
const environment = { CLOCH_BACKUP_PASSPHRASE: passphrase }

let place, first, target, noted
const places = []

const run = (given, more = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, given, { env: { ...process.env, ...environment, ...more }, timeout: 120_000 })
  return { status, text: `${stdout}${stderr}` }
}
const of = () => ['--project', place.project, '--data', place.data]
const service = (cloch) => createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
const restore = (from, data, ...more) => run(['restore', '--from', from, '--data', data, ...more])
const must = ({ data, error }) => {
  assert.equal(error, null)
  return data
}
const ids = async (cloch) => must(await service(cloch).from('notes').select('id').order('id')).map((row) => row.id)

/** Returns the names of all files below a folder. */
const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

/** Waits until the backup includes the given moment. */
async function backedUpUntil(moment) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const file = join(place.data, 'backup/status.json')
    const status = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    if (new Date(status.restorable_until ?? 0) >= moment && status.last_base) return
    await sleep(100)
  }
  assert.fail(`not backed up: ${run(['backup', 'status', ...of()]).text}\n${first.output()}`)
}

/** Starts a restored data folder with a separate copy of the project, on other ports. */
async function startRestored(data) {
  const other = await makeProject({ from: join(data, 'project'), change: (config) => config })
  const file = join(other.project, 'config.toml')
  const [port, databasePort] = [other.port, other.port + 1]
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^port = \d+$/m, `port = ${port}`).replace(/(\[db\]\nport = )\d+/, `$1${databasePort}`))
  rmSync(join(other.project, 'cloch.toml'))
  const cloch = await start({ ...other, data }, { environment })
  places.push(cloch)
  return cloch
}

before(async () => {
  place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  target = join(place.folder, 'target')
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n`)
  first = await start(place, { environment })
  const admin = service(first)
  must(await admin.auth.admin.createUser({ ...user, email_confirm: true }))
  must(await admin.from('notes').insert({ id: 1, body: 'before' }))
  must(await admin.storage.from('files').upload('a/small.txt', 'kept bytes'))
  must(await admin.storage.from('files').upload('a/large.bin', Buffer.alloc(20 << 20, 'large')))
  must(await admin.storage.from('files').upload('a/empty.txt', ''))
  await backedUpUntil(new Date())
  await sleep(1500)
  noted = new Date().toISOString()
  await sleep(1500)
  must(await admin.from('notes').insert({ id: 2, body: 'after' }))
  must(await admin.storage.from('files').upload('a/small.txt', 'replaced bytes', { upsert: true }))
  must(await admin.storage.from('files').remove(['a/large.bin']))
  must(await admin.storage.from('files').upload('b/brief.txt', 'a brief life'))
  must(await admin.storage.from('files').remove(['b/brief.txt']))
  await backedUpUntil(new Date(Date.now() + 1500))
})

after(async () => {
  for (const cloch of places) await cloch.remove()
  await first.remove()
})

test('a backup needs a key', async () => {
  const other = await makeProject({ from: null, files: { 'cloch.toml': `[backup]\nto = "${join(place.folder, 'open')}"\n` } })
  const { status, text } = run(['start', '--project', other.project, '--data', other.data])
  assert.notEqual(status, 0)
  assert.match(text, /encrypt_to is missing/)
  assert.equal(existsSync(join(place.folder, 'open')), false)
  rmSync(other.folder, { recursive: true })
})

test('nothing of the project can be read in the target', () => {
  for (const file of filesOf(target)) {
    const bytes = readFileSync(file)
    for (const secret of ['kept bytes', user.email, first.keys.JWT_SECRET, 'small.txt']) assert.equal(bytes.includes(secret), false, file)
  }
})

test('list, check and status show the backups', () => {
  const list = run(['backup', 'list', ...of()])
  assert.match(list.text, /Every moment from .*\n {2}base backup .* files, PostgreSQL 1\d/)
  const check = run(['backup', 'check', ...of()])
  assert.equal(check.status, 0, check.text)
  assert.match(check.text, /Everything is whole/)
  const status = run(['backup', 'status', ...of()])
  assert.equal(status.status, 0, status.text)
})

test('an idle server names no moment that is later than the last recovery point in the target', async () => {
  for (let look = 0; look < 4; look += 1) {
    const { restorable_until: named } = JSON.parse(readFileSync(join(place.data, 'backup/status.json'), 'utf8'))
    const [, written] = /Every moment from \S+ to (\S+)/.exec(run(['backup', 'list', ...of()]).text)
    assert.ok(new Date(named) <= new Date(written), `${named} is named, ${written} is written`)
    await sleep(700)
  }
})

/** Copies the target of the backup and changes the copy. */
function spoiled(name, change) {
  const copy = join(place.folder, name)
  cpSync(target, copy, { recursive: true })
  change(copy)
  return copy
}

/** Changes one bit in the middle of a file. */
function flip(file) {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1] ^= 1
  writeFileSync(file, bytes)
}

/** Expects that a restore is refused with a message, and that no files remain. */
function refused(from, words, ...more) {
  const data = join(place.folder, 'refused')
  const { status, text } = restore(from, data, ...more)
  assert.notEqual(status, 0, text)
  assert.match(text, words)
  assert.deepEqual(readdirSync(place.folder).filter((name) => name.startsWith('refused')), [])
}

test('a damaged, incomplete or foreign backup is refused, and nothing is left', () => {
  const find = (copy, pattern) => filesOf(copy).filter((file) => pattern.test(file))
  refused(spoiled('flipped-base', (copy) => flip(find(copy, /base\/.*\/tar\.000000$/)[0])), /tar\.000000 in the backup is damaged/)
  refused(spoiled('flipped-blob', (copy) => find(copy, /blobs\//).forEach(flip)), /the content of 2 of 2 files .*small\.txt \(blobs\/.* is damaged/)
  refused(spoiled('no-part', (copy) => rmSync(find(copy, /base\/.*\/tar\.000001$/)[0])), /tar\.000001 is missing in the backup/)
  refused(spoiled('no-log', (copy) => find(copy, /\/wal\//).forEach((file) => rmSync(file))), /the log segment [0-9A-F]{24} .* is missing in the backup/)
  refused(spoiled('no-blob', (copy) => find(copy, /blobs\//).forEach((file) => rmSync(file))), /the content of 2 of 2 files .*--allow-missing/)
  const another = (text) => text.replace(/"project_id": "[^"]*"/, '"project_id": "another"').replace(/,\s+"sha256": "[0-9a-f]+"\s+\}$/, '}')
  const foreign = (copy) => find(copy, /manifest\.json$/).forEach((file) => writeFileSync(file, another(readFileSync(file, 'utf8'))))
  refused(spoiled('foreign', foreign), /manifest\.json in the backup is not authentic: its signature/)
  refused(join(place.folder, 'foreign'), /belongs to the project "another"/, '--allow-unauthenticated')
  refused(join(place.folder, 'nowhere'), /holds no backups of Cloch/)
  refused(target, /no backup covers/, '--to', '2020-01-01T00:00:00Z')
  const check = spoiled('checked', (copy) => flip(find(copy, /base\/.*\/tar\.000000$/)[0]))
  writeFileSync(join(place.project, 'cloch.toml'), readFileSync(join(place.project, 'cloch.toml'), 'utf8').replace(target, check))
  const found = run(['backup', 'check', ...of()])
  writeFileSync(join(place.project, 'cloch.toml'), readFileSync(join(place.project, 'cloch.toml'), 'utf8').replace(check, target))
  assert.notEqual(found.status, 0)
  assert.match(found.text, /tar\.000000 is damaged/)
})

test('with --allow-missing, a damaged file is left out and named, in a full and a partial restore', () => {
  const largeOne = (copy) => filesOf(join(copy, 'v2/blobs')).find((file) => /\.2of\d+$/.test(file))
  const damaged = spoiled('one-damaged', (copy) => {
    flip(largeOne(copy))
  })
  const words = /missing: 1 files: files\/a\/large\.bin \(blobs\/\S+ is damaged: its checksum does not fit\)/
  const whole = join(place.folder, 'without-one')
  const all = restore(damaged, whole, '--to', noted, '--allow-missing')
  assert.equal(all.status, 0, all.text)
  assert.match(all.text, words)
  assert.equal(filesOf(join(whole, 'objects')).length, 2, 'nothing of the damaged file is left')
  refused(damaged, /the content of 1 of 3 files is missing or damaged/, '--to', noted, '--only', 'bucket:files')
  const out = join(place.folder, 'part-without-one')
  const part = restore(damaged, out, '--to', noted, '--only', 'bucket:files', '--allow-missing')
  assert.equal(part.status, 0, part.text)
  assert.match(part.text, words)
  assert.deepEqual(filesOf(out).map((file) => file.slice(out.length)).sort(), ['/files/a/empty.txt', '/files/a/small.txt'])
})

test('a server whose passphrase is missing or too short does not start', async () => {
  const other = await makeProject({ from: null })
  places.push({ remove: () => rmSync(other.folder, { recursive: true }) })
  writeFileSync(join(other.project, 'cloch.toml'), `[backup]\nto = "${join(other.folder, 'target')}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n`)
  for (const [given, words] of [[undefined, /takes the passphrase from CLOCH_BACKUP_PASSPHRASE, which is not set/], ['short', /needs 12 characters/]]) {
    const env = { ...process.env, CLOCH_BACKUP_PASSPHRASE: given }
    if (given === undefined) delete env.CLOCH_BACKUP_PASSPHRASE
    const { status, stderr } = spawnSync(binary, ['start', '--project', other.project, '--data', other.data], { env, encoding: 'utf8', timeout: 60_000 })
    assert.equal(status, 1, stderr)
    assert.match(stderr, words)
  }
  assert.ok(!existsSync(join(other.folder, 'target')))
})

test('a wrong passphrase is refused', () => {
  const data = join(place.folder, 'refused')
  const { status, text } = run(['restore', '--from', target, '--data', data], { CLOCH_BACKUP_PASSPHRASE: 'another one' })
  assert.notEqual(status, 0)
  assert.match(text, /cannot be decrypted: the passphrase is not the one/)
  assert.equal(existsSync(data), false)
})

test('a restore never overwrites a folder that is not empty', () => {
  const { status, text } = restore(target, place.data)
  assert.notEqual(status, 0)
  assert.match(text, /is not empty: a backup is restored into a new folder only/)
})

test('another project cannot use the target', async () => {
  const other = await makeProject({ from: null, change: (config) => config.replace('"test"', '"other"'), files: {} })
  writeFileSync(join(other.project, 'cloch.toml'), readFileSync(join(place.project, 'cloch.toml'), 'utf8'))
  const cloch = await start(other, { environment })
  try {
    for (let attempt = 0; attempt < 100 && !/holds the backups of the project "test"/.test(cloch.output()); attempt += 1) await sleep(100)
    assert.match(cloch.output(), /holds the backups of the project "test", and this one is "other"/)
  } finally {
    await cloch.remove()
  }
})

test('the last moment is restored: rows, files, users, secrets', async () => {
  const data = join(place.folder, 'latest')
  const { status, text } = restore(target, data)
  assert.equal(status, 0, text)
  assert.match(text, /missing: nothing/)
  const cloch = await startRestored(data)
  assert.equal(cloch.keys.JWT_SECRET, first.keys.JWT_SECRET)
  assert.deepEqual(await ids(cloch), [1, 2])
  const files = service(cloch).storage.from('files')
  assert.equal(await must(await files.download('a/small.txt')).text(), 'replaced bytes')
  assert.equal(must(await files.download('a/empty.txt')).size, 0)
  assert.notEqual((await files.download('a/large.bin')).error, null)
  const visitor = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
  assert.equal(must(await visitor.auth.signInWithPassword(user)).user.email, user.email)
  assert.equal(filesOf(join(data, 'objects')).length, 2, 'exactly the files that the rows name')
})

test('an earlier moment is restored, with files that were replaced or deleted later', async () => {
  const data = join(place.folder, 'earlier')
  const { status, text } = restore(target, data, '--to', noted)
  assert.equal(status, 0, text)
  const cloch = await startRestored(data)
  assert.deepEqual(await ids(cloch), [1])
  const files = service(cloch).storage.from('files')
  assert.equal(await must(await files.download('a/small.txt')).text(), 'kept bytes')
  const large = Buffer.from(await must(await files.download('a/large.bin')).arrayBuffer())
  const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
  assert.equal(hash(large), hash(Buffer.alloc(20 << 20, 'large')))
})

test('a file that did not exist, or has no such name, is not extracted, and nothing is left behind', () => {
  refused(target, /is none of file:BUCKET\/NAME, bucket:BUCKET/, '--only', 'notes')
  refused(target, /the file files\/a\/large\.bin was not there at that moment/, '--only', 'file:files/a/large.bin')
  refused(target, /a file in the bucket other was not there/, '--only', 'bucket:other')
  refused(target, /the database had no table public\.nothing at that moment: the schema public had (\S+, )*notes/, '--only', 'table:public.nothing')
  refused(target, /a row of public\.notes with id = 2 was not there/, '--only', 'row:notes:id=2', '--to', noted)
  refused(target, /the table public\.notes had no column nothing at that moment: name one of id, body/, '--only', 'row:notes:nothing=2')
  refused(target, /a row of public\.notes with id = 2' or '1'='1 was not there/, '--only', "row:notes:id=2' or '1'='1")
  const used = restore(target, place.data, '--only', 'table:notes')
  assert.notEqual(used.status, 0)
  assert.match(used.text, /is not empty/)
})

test('a file, a table and a row of an earlier moment are extracted and restored', async () => {
  const out = join(place.folder, 'taken')
  const what = ['file:files/a/small.txt', 'file:files/a/large.bin', 'table:public.notes', 'row:public.notes:id=1']
  const { status, text } = restore(target, out, '--to', noted, ...what.flatMap((only) => ['--only', only]))
  assert.equal(status, 0, text)
  assert.deepEqual(readdirSync(out).sort(), ['files', 'public.notes.1.csv', 'public.notes.2.csv'])
  const mode = (path) => statSync(path).mode & 0o777
  for (const folder of [out, join(out, 'files'), join(out, 'files/a')]) assert.equal(mode(folder), 0o700, folder)
  for (const file of filesOf(out)) assert.equal(mode(file), 0o600, file)
  assert.equal(readFileSync(join(out, 'files/a/small.txt'), 'utf8'), 'kept bytes')
  assert.ok(readFileSync(join(out, 'files/a/large.bin')).equals(Buffer.alloc(20 << 20, 'large')))
  assert.equal(readFileSync(join(out, 'public.notes.1.csv'), 'utf8'), 'id,body\n1,before\n')
  assert.match(text, /small\.txt \(10 bytes\)/)
  const [, copy] = text.match(/public\.notes\.2\.csv: 1 rows\n +bring them back: psql "\$DB_URL" -c "(.*)"/)
  must(await service(first).from('notes').delete().eq('id', 1))
  const back = spawnSync('psql', [first.keys.DB_URL, '-v', 'ON_ERROR_STOP=1', '-c', copy], { encoding: 'utf8' })
  assert.equal(back.status, 0, back.stderr)
  assert.deepEqual(await ids(first), [1, 2])
})

test('a whole bucket is extracted', () => {
  const out = join(place.folder, 'bucket')
  const { status, text } = restore(target, out, '--only', 'bucket:files')
  assert.equal(status, 0, text)
  assert.deepEqual(filesOf(out).map((file) => file.slice(out.length)).sort(), ['/files/a/empty.txt', '/files/a/small.txt'])
})

test('a base backup is restored alone, without the WAL after it', () => {
  const [, moment] = run(['backup', 'list', ...of()]).text.match(/base backup (\S+)/)
  const manifest = JSON.parse(readFileSync(filesOf(target).find((file) => file.endsWith('manifest.json')), 'utf8'))
  const last = Number.parseInt(manifest.end.split('/')[1], 16)
  const isBehind = (file) => {
    const [, segment, from] = file.match(/\/wal\/[0-9A-F]{16}([0-9A-F]{8})\.([0-9a-f]{8})-/) ?? []
    return segment && Number.parseInt(segment, 16) * manifest.segment_bytes + Number.parseInt(from, 16) > last
  }
  const behind = filesOf(target).filter(isBehind).length
  assert.ok(behind > 0)
  const single = spoiled('single', (copy) => filesOf(copy).filter(isBehind).forEach((file) => rmSync(file)))
  const { status, text } = restore(single, join(place.folder, 'single-copy'), '--check', '--to', moment)
  assert.equal(status, 0, text)
  assert.match(text, /missing: nothing/)
})

test('a check restores, compares and leaves nothing behind', () => {
  const data = join(place.folder, 'checked-copy')
  const { status, text } = restore(target, data, '--check')
  assert.equal(status, 0, text)
  assert.match(text, /tables and indexes: (compared|not compared)/)
  assert.deepEqual(readdirSync(dirname(data)).filter((name) => name.startsWith('checked-copy')), [])
})

test('a base backup is made on request', () => {
  const made = run(['backup', 'now', ...of()])
  assert.equal(made.status, 0, made.text)
  assert.equal(run(['backup', 'list', ...of()]).text.match(/base backup/g).length, 2)
})

test('a lost file, a damaged file and a damaged base backup are found, and `backup now` repairs them', async () => {
  const query = "select version from storage.objects order by name"
  const versions = String(spawnSync('psql', [first.keys.DB_URL, '-Atc', query]).stdout).trim().split('\n')
  const [lost, spoilt] = versions.map((version) => filesOf(join(target, 'v2/blobs')).find((file) => file.includes(version)))
  const part = filesOf(join(target, 'v2/series')).filter((file) => /tar\.000000$/.test(file)).sort()[0]
  rmSync(lost)
  flip(spoilt)
  flip(part)
  const found = run(['backup', 'check', ...of()])
  assert.notEqual(found.status, 0)
  assert.match(found.text, /3 parts of the backup are damaged or missing/)
  assert.match(found.text, /files \(2\): `cloch backup now`/)
  assert.match(found.text, /base backups \(1\): `cloch backup now`/)
  const before = run(['backup', 'status', ...of()])
  assert.notEqual(before.status, 0)
  assert.match(before.text, /Damage {2}3 parts of the backup are damaged or missing/)
  const made = run(['backup', 'now', ...of()])
  assert.equal(made.status, 0, made.text)
  assert.doesNotMatch(made.text, /cannot be repaired/)
  const status = run(['backup', 'status', ...of()])
  assert.equal(status.status, 0, status.text)
  assert.doesNotMatch(status.text, /Damage/)
  const whole = run(['backup', 'check', ...of()])
  assert.equal(whole.status, 0, whole.text)
  assert.equal(run(['backup', 'list', ...of()]).text.match(/base backup/g).length, 2, 'the damaged one is in no list')
})

test('a damaged manifest invalidates at most its own base backup, and `backup now` moves it away', () => {
  const manifests = (copy) => filesOf(copy).filter((file) => file.endsWith('manifest.json')).sort()
  const cut = (file) => writeFileSync(file, readFileSync(file).subarray(0, 100))
  const latest = (from) => restore(from, join(place.folder, 'latest'), '--check')
  const older = latest(spoiled('older-manifest', (copy) => cut(manifests(copy)[0])))
  assert.equal(older.status, 0, older.text)
  const newer = latest(spoiled('newer-manifest', (copy) => cut(manifests(copy)[1])))
  assert.equal(newer.status, 0, newer.text)
  refused(spoiled('manifests', (copy) => manifests(copy).forEach(cut)), /manifest\.json in the backup is damaged/)
  refused(spoiled('point', (copy) => cut(filesOf(copy).find((file) => file.endsWith('point.json')))), /point\.json in the backup is damaged/)

  const digit = (file) => writeFileSync(file, readFileSync(file, 'utf8').replace(/"timeline": 1|"until": "2/, (text) => text.replace('1', '2').replace('"2', '"3')))
  refused(spoiled('digits', (copy) => manifests(copy).forEach(digit)), /manifest\.json in the backup is damaged \(its checksum does not fit\)/)
  const digits = spoiled('point-digit', (copy) => digit(filesOf(copy).find((file) => file.endsWith('point.json'))))
  refused(digits, /point\.json in the backup is damaged \(its checksum does not fit\)/)
  const listed0 = run(['backup', 'list', '--from', digits]).text
  assert.match(listed0, /Only the base backups, as they were then/)
  const asItWas = restore(digits, join(place.folder, 'latest'), '--check', '--to', /base backup (\S+)/.exec(listed0)[1])
  assert.equal(asItWas.status, 0, asItWas.text)

  cut(manifests(target)[0])
  const listed = run(['backup', 'list', ...of()]).text
  assert.match(listed, /Damaged: .*manifest\.json/)
  assert.equal(listed.match(/base backup /g).length, 1, 'the other one alone')
  const found = run(['backup', 'check', '--from', target])
  assert.notEqual(found.status, 0)
  assert.match(found.text, /base backups \(1\): `cloch backup now`/)
  const made = run(['backup', 'now', ...of()])
  assert.equal(made.status, 0, made.text)
  const whole = run(['backup', 'check', ...of()])
  assert.equal(whole.status, 0, whole.text)
  assert.doesNotMatch(run(['backup', 'list', ...of()]).text, /Damaged/)
})

test('the file that contains the project id and the encryption key exists twice', () => {
  const [root, copied] = ['cloch-backup.json', 'cloch-backup.copy.json']
  const latest = (from) => restore(from, join(place.folder, 'latest'), '--check')
  for (const change of [(copy) => flip(join(copy, root)), (copy) => rmSync(join(copy, root)), (copy) => rmSync(join(copy, copied))]) {
    const kept = latest(spoiled('one-key', change))
    assert.equal(kept.status, 0, kept.text)
    rmSync(join(place.folder, 'one-key'), { recursive: true })
  }
  const both = spoiled('both-keys', (copy) => [root, copied].forEach((file) => flip(join(copy, file))))
  refused(both, /cloch-backup\.json in the backup is damaged/)

  const good = readFileSync(join(target, root))
  for (const [spoil, words] of [[() => flip(join(target, copied)), /cloch-backup\.copy\.json is damaged/], [() => rmSync(join(target, root)), /cloch-backup\.json is missing/]]) {
    let found
    // The running server writes the file again when it connects to the target. Therefore the test may need several attempts.
    for (let attempt = 0; attempt < 5 && !found?.status; attempt += 1) {
      spoil()
      found = run(['backup', 'check', ...of()])
    }
    assert.notEqual(found.status, 0)
    assert.match(found.text, words)
    assert.match(found.text, /key \(1\): `cloch backup now`/)
    const made = run(['backup', 'now', ...of()])
    assert.equal(made.status, 0, made.text)
    assert.equal(run(['backup', 'check', ...of()]).status, 0)
    for (const file of [root, copied]) assert.deepEqual(readFileSync(join(target, file)), good)
  }
})

test('list and check need no project if the target is given', () => {
  const list = run(['backup', 'list', '--from', target])
  assert.equal(list.status, 0, list.text)
  assert.match(list.text, /Backups of test in .*target\n/)
  const check = run(['backup', 'check', '--from', target])
  assert.equal(check.status, 0, check.text)
  assert.match(run(['backup', 'list', '--from', join(place.folder, 'nowhere')]).text, /holds no backups of Cloch/)
})

test('if there is no backup, no key is requested', () => {
  const env = { ...process.env }
  delete env.CLOCH_BACKUP_PASSPHRASE
  const given = ['restore', '--from', join(place.folder, 'nowhere'), '--data', join(place.folder, 'none')]
  const { status, stderr } = spawnSync(binary, given, { env, encoding: 'utf8' })
  assert.notEqual(status, 0)
  assert.match(stderr, /holds no backups of Cloch/)
})

const request = async (cloch, path, key) => {
  const ask = () => fetch(`${cloch.url}${path}`, { headers: key ? { authorization: `Bearer ${key}` } : {} })
  // While a command runs, this process is blocked, and the server may close the reused keep-alive connection. Therefore the first attempt may fail.
  return (await ask().catch(ask)).json()
}
const drills = async () => {
  const { stdout } = spawnSync('psql', [first.keys.DB_URL, '-Atc', "select json_agg(d order by id) from (select *, ended_at is not null as ended from cloch.backup_drills) d"])
  return JSON.parse(String(stdout) || 'null') ?? []
}

test('a drill verifies the backup, and reports it in a row, the status and /health', async () => {
  const made = run(['backup', 'drill', ...of()])
  assert.equal(made.status, 0, `${made.text}\n${first.output()}`)
  assert.match(made.text, /The backup can be restored/)
  const [drill] = await drills()
  assert.deepEqual([drill.ended, drill.failure, drill.users, drill.files], [true, null, 1, 2])
  assert.ok(drill.restored_to > drill.begun_at, 'the copy is later than the row that the drill wrote')
  const { backup } = await request(first, '/health', first.serviceKey)
  assert.equal(backup.last_drill.failure, null)
  assert.deepEqual(await request(first, '/health'), { status: 'ok' })
  assert.deepEqual(await request(first, '/health', first.anonKey), { status: 'ok' })
  assert.deepEqual(readdirSync(place.data).filter((name) => name.startsWith('drill')), [])
  assert.match(first.output(), /a restore drill succeeded/)
  assert.equal(run(['backup', 'status', ...of()]).status, 0)
})

test('a failed drill causes a row, a log line, a status and a mail', async () => {
  for (const file of filesOf(join(target, 'v2/blobs'))) writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('x')]))
  const made = run(['backup', 'drill', ...of()])
  assert.notEqual(made.status, 0)
  assert.match(made.text, /missing or damaged in the backup/)
  const last = (await drills()).at(-1)
  assert.match(last.failure, /missing or damaged in the backup/)
  assert.match(first.output(), /restore drill failed/)
  const status = run(['backup', 'status', ...of()])
  assert.notEqual(status.status, 0)
  assert.match(status.text, /the last restore drill failed/)
  let mails = []
  for (let attempt = 0; attempt < 100 && mails.length === 0; attempt += 1) {
    const { stdout } = spawnSync('psql', [first.keys.DB_URL, '-Atc', "select subject || body_text from cloch.mail_outbox where kind = 'backup'"])
    mails = String(stdout).split('\n').filter(Boolean)
    await sleep(100)
  }
  assert.match(mails.join('\n'), /the backup cannot be relied on[^]*missing or damaged/)
  assert.deepEqual(readdirSync(place.data).filter((name) => name.startsWith('drill')), [])
  for (const file of filesOf(join(target, 'v2/blobs'))) writeFileSync(file, readFileSync(file).subarray(0, -1))
  assert.equal(run(['backup', 'drill', ...of()]).status, 0)
  assert.equal(run(['backup', 'status', ...of()]).status, 0)
})
