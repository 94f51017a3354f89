/**
 * With CLOCH_DB_URL, the provider of the database makes the backups of the database. Cloch makes backups of files, secrets and project, each with its
 * time, and restores those that fit a database that the provider has restored. The database belongs to another running `cloch`, which represents the
 * provider.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { throughPooler } from '../support/pooler.mjs'
import { binary, makeProject, sleep, start } from '../support/program.mjs'

const passphrase = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const migration = `
create table public.notes (id bigint primary key, body text not null);
alter table public.notes enable row level security;
create policy own on public.notes for select to authenticated using (true);
insert into storage.buckets (id, name, public) values ('files', 'files', false);
`

let provider, pooler, place, cloch, target, environment
const run = (args, more = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, args, { env: { ...process.env, ...environment, ...more }, encoding: 'utf8', timeout: 120_000 })
  return { status, text: `${stdout}${stderr}` }
}
const of = () => ['--project', place.project, '--data', place.data]
const service = (of) => createClient(of.url, of.serviceKey, { auth: { persistSession: false } })
const must = ({ data, error }) => {
  assert.equal(error, null)
  return data
}
const sql = (statement) => spawnSync('psql', ['-X', '-At', environment.CLOCH_DB_URL, '-c', statement], { encoding: 'utf8' }).stdout.trim()
const status = () => {
  const file = join(place.data, 'backup/status.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
async function until(holds) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    if (await holds()) return
    await sleep(100)
  }
  assert.fail(`${run(['backup', 'status', ...of()]).text}\n${cloch.output()}`)
}
const copied = () => {
  const moment = Date.now()
  return until(() => new Date(status().restorable_until ?? 0) > moment && status().last_base)
}

before(async () => {
  const places = [await makeProject({ from: null }), await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })]
  provider = await start(places[0])
  place = places[1]
  mkdirSync(place.data, { recursive: true })
  const secrets = join(places[0].data, 'secrets.toml')
  copyFileSync(secrets, join(place.data, 'secrets.toml'))
  const database = new URL(provider.keys.DB_URL)
  database.username = 'supabase_admin'
  database.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(secrets, 'utf8'))[1]
  pooler = await throughPooler(database.href)
  environment = { ...passphrase, CLOCH_DB_URL: database.href, ...pooler.environment }
  target = join(place.folder, 'target')
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n`)
  cloch = await start(place, { environment })
  must(await service(cloch).from('notes').insert([{ id: 1, body: 'kept' }, { id: 2, body: 'kept too' }]))
  must(await service(cloch).auth.admin.createUser({ email: 'keeper@example.org', password: 'correct horse battery', email_confirm: true }))
  must(await service(cloch).storage.from('files').upload('a.txt', 'kept bytes'))
  must(await service(cloch).storage.from('files').upload('b.txt', 'brief bytes'))
  await copied()
})
after(async () => {
  await cloch?.remove()
  pooler?.stop()
  await provider?.remove()
})

test('the status names the external provider that backs up the database', () => {
  assert.match(cloch.output(), /the database's provider makes its backups; \[backup\] stores files, secrets and project/)
})

test('recovery points are recorded with their files, and listed', () => {
  assert.equal(run(['backup', 'now', ...of()]).status, 0)
  const { text } = run(['backup', 'list', ...of()])
  assert.match(text, /files of .* {2}2 files; the database is its provider's/)
  assert.equal(run(['backup', 'check', ...of()]).status, 0)
  assert.equal(run(['backup', 'status', ...of()]).status, 0)
})

test('without a database a restore is refused with instructions', () => {
  const data = join(place.folder, 'refused')
  const { status, text } = run(['restore', '--from', target, '--data', data], { CLOCH_DB_URL: '' })
  assert.notEqual(status, 0)
  assert.match(text, /let the provider restore it to the moment, and name it in CLOCH_DB_URL/)
  const only = run(['restore', '--from', target, '--data', data, '--only', 'table:public.notes'], { CLOCH_DB_URL: '' })
  assert.notEqual(only.status, 0)
  assert.match(only.text, /let the provider restore it .* --only takes rows out of it/)
  const absent = run(['restore', '--from', target, '--data', data, '--only', 'row:public.notes:id=3'])
  assert.notEqual(absent.status, 0)
  assert.match(absent.text, /a row of public.notes with id = 3 was not there/)
  assert.deepEqual(readdirSync(place.folder).filter((name) => name.startsWith('refused')), [])
})

test('rows and files are extracted from the database that the provider has restored', () => {
  const data = join(place.folder, 'taken')
  const { status, text } = run(['restore', '--from', target, '--data', data, '--only', 'row:public.notes:id=2', '--only', 'file:files/a.txt'])
  assert.equal(status, 0, text)
  assert.match(text, /as it is in the database that CLOCH_DB_URL names/)
  assert.equal(readFileSync(join(data, 'public.notes.1.csv'), 'utf8'), 'id,body\n2,kept too\n')
  assert.equal(readFileSync(join(data, 'files/a.txt'), 'utf8'), 'kept bytes')
  assert.deepEqual(readdirSync(data).sort(), ['files', 'public.notes.1.csv'])
  rmSync(data, { recursive: true })
})

test('a drill restores a dump on this machine, and compares rows and files', () => {
  const made = run(['backup', 'drill', ...of()])
  assert.equal(made.status, 0, `${made.text}${cloch.output()}`)
  const [ended, failure, users, files, tables] = sql("select ended_at is not null, coalesce(failure, 'none'), users, files, tables_compared from cloch.backup_drills order by id desc limit 1").split('|')
  assert.deepEqual([ended, failure, users, files], ['t', 'none', '1', '2'])
  assert.ok(['t', 'f'].includes(tables))
  assert.deepEqual(readdirSync(place.data).filter((name) => name.startsWith('drill')), [])
})

test('a drill reports a file that is missing in the backup', () => {
  const blobs = join(target, 'v2/blobs')
  const files = readdirSync(blobs, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const bytes = readFileSync(files[0])
  rmSync(files[0])
  const made = run(['backup', 'drill', ...of()])
  mkdirSync(join(files[0], '..'), { recursive: true })
  writeFileSync(files[0], bytes)
  assert.notEqual(made.status, 0)
  assert.match(made.text, /the content of 1 of 2 files is missing or damaged in the backup: files\//)
})

test('the restored database gets exactly the files to which it refers, with secrets and project', async () => {
  await copied()
  // The provider restores the database as of a moment at which the row of the second file did not exist.
  await cloch.stop()
  sql("set session_replication_role = replica; delete from storage.objects where name = 'b.txt'")
  const data = join(place.folder, 'restored')
  const { status, text } = run(['restore', '--from', target, '--data', data])
  assert.equal(status, 0, text)
  assert.match(text, /database: its provider's, with 1 users/)
  assert.match(text, /files: 1 /)
  assert.equal(existsSync(join(data, 'db')), false)
  const objects = readdirSync(join(data, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  assert.equal(objects.length, 1)
  rmSync(join(data, 'project/cloch.toml'))
  const restored = await start({ ...place, project: join(data, 'project'), data }, { environment })
  try {
    assert.equal(restored.keys.JWT_SECRET, cloch.keys.JWT_SECRET)
    assert.equal(await must(await service(restored).storage.from('files').download('a.txt')).text(), 'kept bytes')
    assert.deepEqual(must(await service(restored).from('notes').select('id').order('id')), [{ id: 1 }, { id: 2 }])
  } finally {
    await restored.stop()
  }
})
