/**
 * An attacker who can write to a backup's target, but has no key, forges files in it. All commands that read the target, the restore drill and the
 * running server refuse these files and name them. In addition, commands and libraries in the PostgreSQL configuration of a backup never run, even if
 * the backup is authentic.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, sleep, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const migration = `
create table public.notes (id bigint primary key, body text not null);
insert into storage.buckets (id, name, public) values ('files', 'files', false);
`
const passphrase = 'a passphrase that is long enough'
const environment = { CLOCH_BACKUP_PASSPHRASE: passphrase }
// A recipient from age's README.
const recipientOfSomebody = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'
// A folder that all accounts can write to, because PostgreSQL runs as another account.
const marks = '/tmp'

let place, cloch, target, attacker
const tokens = new Set()

const run = (given, more = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, given, { env: { ...process.env, ...environment, ...more }, timeout: 120_000 })
  return { status, text: `${stdout}${stderr}` }
}
const of = (one = place) => ['--project', one.project, '--data', one.data]
const service = (server) => createClient(server.url, server.serviceKey, { auth: { persistSession: false } })
const must = ({ data, error }) => {
  assert.equal(error, null)
  return data
}
const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
const statusOf = (one) => JSON.parse(readFileSync(join(one.data, 'backup/status.json'), 'utf8'))
const copied = async (server) => {
  const moment = new Date()
  const isCopied = () => existsSync(join(server.data, 'backup/status.json')) && statusOf(server).last_base && new Date(statusOf(server).restorable_until ?? 0) >= moment
  await until(isCopied, () => `not backed up: ${server.output()}`)
}

/** Runs SQL as the embedded database's superuser. */
function superuser(server, sql) {
  const password = /supabase_admin = "([^"]+)"/.exec(readFileSync(join(server.data, 'secrets.toml'), 'utf8'))[1]
  const url = new URL(server.keys.DB_URL)
  const { status, stdout, stderr } = spawnSync('psql', ['-h', '127.0.0.1', '-p', url.port, '-U', 'supabase_admin', '-d', 'postgres', '-Atc', sql], { env: { ...process.env, PGPASSWORD: password }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

/** Sets a PostgreSQL setting that creates a file when a restored cluster has replayed its log. Returns the path of this file. */
function command(server, name) {
  const token = join(marks, `cloch-forged-${process.pid}-${name}`)
  superuser(server, `alter system set recovery_end_command = 'touch ${token}'`)
  tokens.add(token)
  return token
}

/** Copies the target of the backup and changes the copy. */
function spoiled(name, change) {
  const copy = join(place.folder, name)
  cpSync(target, copy, { recursive: true })
  change(copy)
  return copy
}

/** Changes the root file and its copy, as an attacker without a key can do. */
function changeRoot(folder, change) {
  for (const name of ['cloch-backup.json', 'cloch-backup.copy.json']) {
    const { sha256, ...root } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    writeFileSync(join(folder, name), JSON.stringify(change(root), null, 2))
  }
}

/** Expects that every command that reads the target refuses the target with the given message. */
function refusedByAll(from, words) {
  for (const given of [
    ['backup', 'list', '--from', from],
    ['backup', 'check', '--from', from],
    ['restore', '--from', from, '--data', join(place.folder, 'none')],
    ['restore', '--from', from, '--data', join(place.folder, 'none'), '--check'],
    ['restore', '--from', from, '--data', join(place.folder, 'none'), '--only', 'table:notes'],
  ]) {
    const { status, text } = run(given)
    assert.notEqual(status, 0, `${given.join(' ')}: ${text}`)
    assert.match(text, words, given.join(' '))
  }
  assert.equal(existsSync(join(place.folder, 'none')), false)
}

before(async () => {
  place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  target = join(place.folder, 'target')
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n`)
  cloch = await start(place, { environment })
  must(await service(cloch).from('notes').insert({ id: 1, body: 'own' }))
  must(await service(cloch).storage.from('files').upload('a.txt', 'kept bytes'))
  await copied(cloch)
  // The attacker can read the recipient and the project's name in the target. Therefore the attacker's server can encrypt its backup for the same
  // recipient.
  const { recipient, project_id } = JSON.parse(readFileSync(join(target, 'cloch-backup.json'), 'utf8'))
  const files = { 'migrations/1_notes.sql': migration, 'cloch.toml': `[backup]\nto = "../theirs"\nencrypt_to = "${recipient}"\n` }
  const theirs = await makeProject({ from: null, files, change: (config) => config.replace('"test"', `"${project_id}"`) })
  attacker = await start(theirs)
  must(await service(attacker).from('notes').insert({ id: 666, body: 'forged' }))
  await copied(attacker)
})

after(async () => {
  await cloch?.remove()
  await attacker?.remove()
  for (const token of tokens) rmSync(token, { force: true })
})

test('a series that somebody else has encrypted to the same recipient is refused, and nothing of it runs', async () => {
  const token = command(attacker, 'series')
  assert.equal(run(['backup', 'now', ...of(attacker)]).status, 0)
  await copied(attacker)
  const theirs = join(attacker.folder, 'theirs')
  const added = spoiled('added', (copy) => {
    for (const name of readdirSync(theirs).filter((name) => !name.startsWith('cloch-backup'))) cpSync(join(theirs, name), join(copy, name), { recursive: true })
  })
  refusedByAll(added, /json (in the backup )?is not authentic: its signature is not that of this project's server/)
  const exchanged = spoiled('exchanged', (copy) => {
    for (const name of readdirSync(copy).filter((name) => !name.startsWith('cloch-backup'))) rmSync(join(copy, name), { recursive: true })
    for (const name of readdirSync(theirs).filter((name) => !name.startsWith('cloch-backup'))) cpSync(join(theirs, name), join(copy, name), { recursive: true })
  })
  refusedByAll(exchanged, /is not authentic: its signature is not that of this project's server/)

  // The drill of the running server restores the present files and fails. The server also refuses the target when it connects.
  const added1 = filesOf(theirs).filter((file) => !/\/cloch-backup[^/]*$/.test(file)).map((file) => join(target, file.slice(theirs.length)))
  for (const file of added1) cpSync(join(theirs, file.slice(target.length)), file, { recursive: true })
  const drill = run(['backup', 'drill', ...of()])
  assert.notEqual(drill.status, 0, drill.text)
  assert.match(drill.text, /is not authentic: its signature is not that of this project's server/)
  await cloch.stop()
  cloch = await start(place, { environment })
  await until(() => statusOf(cloch).is_tampered, () => cloch.output())
  assert.match(statusOf(cloch).failure.reason, /is not authentic: its signature/)
  for (const file of added1) rmSync(file)
  await until(() => !statusOf(cloch).is_tampered && !statusOf(cloch).failure, () => JSON.stringify(statusOf(cloch)))
  assert.equal(existsSync(token), false, 'nothing of it was run')
  const again = run(['backup', 'drill', ...of()])
  assert.equal(again.status, 0, again.text)
})

test('a manifest, a point or an archive that was changed, moved or taken from another run is refused', () => {
  const find = (copy, pattern) => filesOf(copy).find((file) => pattern.test(file))
  const change = (copy, pattern, from, to) => {
    const file = find(copy, pattern)
    const { sha256, signature, ...text } = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify(text, null, 2).replace(from, to))
  }
  refusedByAll(spoiled('manifest', (copy) => change(copy, /manifest\.json$/, /"postgres": "\d+"/, '"postgres": "14"')), /manifest\.json (in the backup )?is not authentic: it has no signature/)
  refusedByAll(spoiled('unsigned', (copy) => change(copy, /point\.json$/, '', '')), /point\.json (in the backup )?is not authentic: it has no signature/)
  refusedByAll(spoiled('no-point', (copy) => rmSync(find(copy, /point\.json$/))), /point\.json (in the backup )?is not authentic: it is missing/)
  const renamed = spoiled('renamed', (copy) => {
    const [series] = readdirSync(join(copy, 'v2/series'))
    cpSync(join(copy, 'v2/series', series), join(copy, 'v2/series/20990101T000000000Z'), { recursive: true })
    rmSync(join(copy, 'v2/series', series), { recursive: true })
  })
  refusedByAll(renamed, /is not authentic: its signature is not that of this project's server, for this place/)

  // Only a restore decrypts these files, but `check` verifies them too.
  for (const [name, pattern] of [['settings', /\/settings\/.*1of1$/], ['part', /tar\.000000$/], ['log', /\/wal\//], ['blob', /\/blobs\//]]) {
    const swapped = spoiled(`swapped-${name}`, (copy) => {
      const from = filesOf(copy).find((file) => !pattern.test(file) && /tar\.000001$|1of1$/.test(file))
      // Replaces the last file of the log, because the log from before the base backup is not read.
      cpSync(from, filesOf(copy).filter((file) => pattern.test(file)).sort().at(-1))
    })
    const check = run(['backup', 'check', '--from', swapped])
    assert.notEqual(check.status, 0, check.text)
    assert.match(check.text, /is not authentic: its signature is not that of this project's server, for this place/, name)
    const { status, text } = run(['restore', '--from', swapped, '--data', join(place.folder, 'none'), '--check'])
    assert.notEqual(status, 0, text)
    assert.match(text, /is not authentic: its signature is not that of this project's server, for this place/, name)
  }
  const cut = spoiled('cut', (copy) => filesOf(copy).filter((file) => /\/wal\//.test(file)).sort().slice(-1).forEach((file) => rmSync(file)))
  for (const given of [['backup', 'check', '--from', cut], ['restore', '--from', cut, '--data', join(place.folder, 'none')]]) {
    const { status, text } = run(given)
    assert.notEqual(status, 0, text)
    assert.match(text, /the log segment [0-9A-F]{24} .*is? ?missing|is missing/)
  }
})

test('every command refuses a target that names another recipient', () => {
  const swapped = spoiled('key', (copy) => changeRoot(copy, (root) => ({ ...root, recipient: recipientOfSomebody })))
  refusedByAll(swapped, /cloch-backup\.json in the backup is not authentic: it names the recipient age1ql3z7hjy/)
  const before = spoiled('before', (copy) => changeRoot(copy, ({ signature, ...root }) => ({ ...root, format: 1 })))
  refusedByAll(before, /cloch-backup\.json in the backup is not authentic: it has no signature.*--allow-unauthenticated/)
})

test('a server whose target names another recipient writes nothing more there, and reports this', async () => {
  await cloch.stop()
  const good = ['cloch-backup.json', 'cloch-backup.copy.json'].map((name) => [join(target, name), readFileSync(join(target, name))])
  changeRoot(target, (root) => ({ ...root, recipient: recipientOfSomebody }))
  const before = filesOf(target).length
  cloch = await start(place, { environment })
  await until(() => statusOf(cloch).is_tampered, () => cloch.output())
  must(await service(cloch).from('notes').insert({ id: 2, body: 'not for somebody else' }))
  must(await service(cloch).storage.from('files').upload('b.txt', 'not for somebody else'))
  await sleep(2000)
  assert.equal(filesOf(target).length, before, 'nothing was written')

  const { status, text } = run(['backup', 'status', ...of()])
  assert.notEqual(status, 0)
  assert.match(text, /Failure .*it names the recipient age1ql3z7hjy[^]*the target is not what this server left there/)
  const headers = { authorization: `Bearer ${cloch.serviceKey}` }
  const health = await (await fetch(`${cloch.url}/health`, { headers })).json()
  assert.equal(health.backup.is_tampered, true)
  assert.match(health.backup.failure.reason, /it names the recipient/)
  assert.match(await (await fetch(`${cloch.url}/metrics`, { headers })).text(), /^cloch_backup_tampered 1$/m)
  assert.match(cloch.output(), /backup: interrupted/)
  const mails = () => spawnSync('psql', [cloch.keys.DB_URL, '-Atc', "select subject || body_text from cloch.mail_outbox where kind = 'backup'"], { encoding: 'utf8' }).stdout
  await until(() => /cannot be relied on[^]*it names the recipient/.test(mails()), () => `no mail: ${mails()}`)

  for (const [file, bytes] of good) writeFileSync(file, bytes)
  await until(() => !statusOf(cloch).failure && !statusOf(cloch).is_tampered, () => cloch.output())
  await copied(cloch)
  const again = run(['backup', 'status', ...of()])
  assert.equal(again.status, 0, again.text)
})

test('a target that was put back to an earlier state is refused by its server, and by who knows how far it reached', async () => {
  await copied(cloch)
  await cloch.stop()
  const earlier = join(place.folder, 'earlier')
  cpSync(target, earlier, { recursive: true })
  cloch = await start(place, { environment })
  must(await service(cloch).from('notes').insert({ id: 3, body: 'later' }))
  await copied(cloch)
  await sleep(1500)
  await copied(cloch)
  const moment = new Date(Date.now() - 500).toISOString()
  await cloch.stop()
  const later = join(place.folder, 'later')
  cpSync(target, later, { recursive: true })
  rmSync(target, { recursive: true })
  cpSync(earlier, target, { recursive: true })
  for (const given of [['backup', 'list', ...of()], ['backup', 'check', ...of()]]) {
    const { status, text } = run(given)
    assert.notEqual(status, 0, text)
    assert.match(text, /point\.json (in the backup )?is not authentic: it is an earlier one/)
  }
  const none = join(place.folder, 'none')
  const behind = run(['restore', '--from', target, '--data', none, '--at-least', moment])
  assert.notEqual(behind.status, 0, behind.text)
  assert.match(behind.text, /is known to reach .* \(--at-least\): the target was put back to an earlier state/)
  cloch = await start(place, { environment })
  await until(() => statusOf(cloch).is_tampered, () => cloch.output())
  assert.match(statusOf(cloch).failure.reason, /it is an earlier one .*the target was put back to an earlier state/)
  await cloch.stop()
  rmSync(target, { recursive: true })
  cpSync(later, target, { recursive: true })
  const whole = run(['restore', '--from', target, '--data', none, '--check', '--at-least', moment])
  assert.equal(whole.status, 0, whole.text)
  cloch = await start(place, { environment })
  await copied(cloch)
})

test('no command of an authentic backup runs, and a restored cluster has the configuration that Cloch writes', async () => {
  const token = command(cloch, 'own')
  assert.equal(run(['backup', 'now', ...of()]).status, 0)
  await copied(cloch)
  const data = join(place.folder, 'restored')
  const restored = run(['restore', '--from', target, '--data', data])
  assert.equal(restored.status, 0, restored.text)
  assert.equal(existsSync(token), false, 'the command of the backed-up server was run')
  assert.equal(readFileSync(join(data, 'db/postgresql.auto.conf'), 'utf8'), '')
  assert.match(readFileSync(join(data, 'db/postgresql.auto.conf.restored'), 'utf8'), /recovery_end_command = 'touch/)
  assert.match(readFileSync(join(data, 'db/postgresql.conf'), 'utf8'), /^# Written by cloch restore/)
  assert.doesNotMatch(readFileSync(join(data, 'db/pg_hba.conf'), 'utf8'), /trust|peer/)
  const taken = run(['restore', '--from', target, '--data', join(place.folder, 'taken'), '--only', 'table:notes'])
  assert.equal(taken.status, 0, taken.text)
  const drill = run(['backup', 'drill', ...of()])
  assert.equal(drill.status, 0, `${drill.text}\n${cloch.output()}`)
  assert.equal(existsSync(token), false, 'the command of the backed-up server was run')
  // The restored server starts, and has the text search configuration of the original.
  const other = await makeProject({ from: join(data, 'project'), change: (config) => config })
  const file = join(other.project, 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^port = \d+$/m, `port = ${other.port}`).replace(/(\[db\]\nport = )\d+/, `$1${other.port + 1}`))
  rmSync(join(other.project, 'cloch.toml'))
  const copy = await start({ ...other, data })
  try {
    assert.deepEqual(must(await service(copy).from('notes').select('id').order('id')).map((row) => row.id), [1, 2, 3])
    assert.equal(superuser(copy, 'show default_text_search_config').trim(), superuser(cloch, 'show default_text_search_config').trim())
  } finally {
    await copy.remove()
  }
})

test('with a recipient the verification key is required, and can be in the file of the identity', async () => {
  // For the attacker's server, this is an ordinary backup.
  const theirs = join(attacker.folder, 'theirs')
  const key = /Verification key {2}(cloch-verify-[0-9a-f]{64})/.exec(run(['backup', 'status', ...of(attacker)]).text)?.[1]
  assert.ok(key)
  const bare = run(['backup', 'list', '--from', theirs])
  assert.notEqual(bare.status, 0)
  assert.match(bare.text, /cannot be verified without the verification key of the server that wrote it \(--verify-key/)
  const file = join(mkdtempSync(join(place.folder, 'key-')), 'key')
  writeFileSync(file, `# made by age-keygen\n${key}\n`)
  for (const given of [['--verify-key', key], ['--key-file', file], ['--allow-unauthenticated']]) {
    const { status, text } = run(['backup', 'list', '--from', theirs, ...given])
    assert.equal(status, 0, text)
    assert.match(text, /Every moment from/)
  }
  assert.equal(run(['backup', 'check', ...of(attacker)]).status, 0)
  assert.match(run(['backup', 'list', '--from', theirs, '--verify-key', 'cloch-verify-00']).text, /is no verification key/)
  const others = run(['backup', 'list', '--from', theirs, '--verify-key', key.replace(/.{8}$/, '00000000')])
  assert.notEqual(others.status, 0)
  assert.match(others.text, /cloch-backup\.json in the backup is not authentic/)
})
