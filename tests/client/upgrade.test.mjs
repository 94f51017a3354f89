/**
 * The embedded database is upgraded to a newer major version of PostgreSQL. Rows, users, files, policies and passwords stay the same, the old folder
 * is kept, and the backup continues. If the upgrade is not possible, nothing changes, and the command prints the reason. CLOCH_TEST_NEWER_POSTGRES:
 * folder with the programs of the newer version.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, start } from '../support/program.mjs'

const given = process.env.CLOCH_TEST_NEWER_POSTGRES
/**
 * The programs of the newer PostgreSQL. They are copied before the tests into a folder that PostgreSQL's account may enter, wherever they are
 * installed.
 */
let newer
const major = (folder) => spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout?.match(/(\d+)\./)?.[1]
const versions = (existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []).filter((name) => existsSync(`/usr/lib/postgresql/${name}/bin/initdb`))
const older = versions.filter((version) => Number(version) < 18).sort((a, b) => b - a)[0]
const skip = !given || !existsSync(join(given, 'pg_upgrade')) ? 'CLOCH_TEST_NEWER_POSTGRES names no PostgreSQL' : older ? false : 'no older PostgreSQL in /usr/lib/postgresql'

const oldPrograms = `/usr/lib/postgresql/${older}/bin`
const passphrase = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const migration = `
create extension if not exists pg_trgm with schema extensions;
create table public.notes (id bigint generated always as identity primary key, owner uuid default auth.uid(), body text not null);
create index on public.notes using gin (body extensions.gin_trgm_ops);
alter table public.notes enable row level security;
create policy own on public.notes for all to authenticated using (owner = auth.uid());
create materialized view public.lengths as select id, length(body) from public.notes;
insert into storage.buckets (id, name, public) values ('files', 'files', false);
`
const user = { email: 'keeper@example.org', password: 'correct horse battery' }

let place, target, cloch
/** Copies PostgreSQL's programs together with the folders beside them. Returns the bin folder of the copy. */
const copyPrograms = (folder) => {
  cpSync(join(given, '../../..'), folder, { recursive: true, verbatimSymlinks: true })
  chmodSync(place.folder, 0o755)
  spawnSync('chmod', ['-R', 'a+rX', folder])
  return join(folder, basename(join(given, '../..')), basename(join(given, '..')), 'bin')
}
const run = (args, environment = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, args, { env: { ...process.env, ...passphrase, ...environment }, encoding: 'utf8', timeout: 200_000 })
  return { status, text: `${stdout}${stderr}` }
}
const upgrade = (more = [], environment = { CLOCH_POSTGRES_BIN: newer }) => run(['upgrade', '--project', place.project, '--data', place.data, ...more], environment)
const service = () => createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
const version = () => readFileSync(join(place.data, 'db/PG_VERSION'), 'utf8').trim()
/** Returns the folders beside the folder of the cluster whose names begin with `db`. */
const beside = () => readdirSync(dirname(realpathSync(join(place.data, 'db')))).filter((name) => /^db/.test(name)).sort()
const must = ({ data, error }) => {
  assert.equal(error, null)
  return data
}

before(async () => {
  if (skip) return
  place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  newer = copyPrograms(join(place.folder, 'newer'))
  target = join(place.folder, 'target')
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`)
  cloch = await start(place, { environment: { ...passphrase, CLOCH_POSTGRES_BIN: oldPrograms } })
  must(await service().auth.admin.createUser({ ...user, email_confirm: true }))
  must(await service().from('notes').insert(Array.from({ length: 2000 }, (_, n) => ({ body: `note ${n}` }))))
  must(await service().storage.from('files').upload('a.txt', 'kept bytes'))
})
after(async () => cloch?.remove())

test('a running server is not upgraded', { skip }, () => {
  const { status, text } = upgrade()
  assert.notEqual(status, 0)
  assert.match(text, /another cloch.* uses the data folder/)
})

test('what lacks a newer version, or the old one, or a part of the new one is refused, and stays as it was', { skip }, async () => {
  await cloch.stop()
  const none = upgrade([], { CLOCH_POSTGRES_BIN: oldPrograms })
  if (!versions.some((version) => Number(version) > Number(older))) {
    assert.equal(none.status, 0, none.text)
    assert.match(none.text, /is of the newest PostgreSQL on this machine/)
  }
  const part = join(place.folder, 'part/bin')
  mkdirSync(part, { recursive: true })
  for (const name of ['initdb', 'pg_ctl']) symlinkSync(join(newer, name), join(part, name))
  // This file is a script. A link would lead to the folder of the complete installation.
  writeFileSync(join(part, 'postgres'), `#!/bin/sh\nexec ${join(newer, 'postgres')} "$@"\n`, { mode: 0o755 })
  const incomplete = upgrade([], { CLOCH_POSTGRES_BIN: part })
  assert.notEqual(incomplete.status, 0)
  assert.match(incomplete.text, /PostgreSQL 18 in .*part\/bin lacks pg_upgrade.*install its complete package/)
  const file = join(place.data, 'db/PG_VERSION')
  writeFileSync(file, '14\n')
  const foreign = upgrade()
  writeFileSync(file, `${older}\n`)
  assert.notEqual(foreign.status, 0)
  assert.match(foreign.text, /was made by PostgreSQL 14, and an upgrade needs the programs of that version too/)
  const external = upgrade([], { CLOCH_DB_URL: 'postgres://postgres@127.0.0.1:1/postgres' })
  assert.notEqual(external.status, 0)
  assert.match(external.text, /who runs it upgrades it/)
  assert.deepEqual([version(), beside()], [older, ['db']])
})

test('an extension that the newer version lacks stands in the way, is named, and nothing is left', { skip }, () => {
  const root = join(place.folder, 'lacking')
  const programs = copyPrograms(root)
  rmSync(join(programs, '../lib/postgresql/pg_trgm.so'))
  for (const more of [['--check'], []]) {
    const { status, text } = upgrade(more, { CLOCH_POSTGRES_BIN: programs })
    assert.notEqual(status, 0, text)
    assert.match(text, /pg_trgm/)
    assert.deepEqual([version(), beside()], [older, ['db']])
  }
  rmSync(root, { recursive: true })
})

test('a column option that the newer version refuses is named before anything begins', { skip }, () => {
  const folder = realpathSync(join(place.data, 'db'))
  const { uid, gid } = statSync(folder)
  const single = (sql) => {
    const { status, stderr } = spawnSync(join(oldPrograms, 'postgres'), ['--single', '-D', folder, 'postgres'], { input: `${sql}\n`, uid, gid, cwd: '/', encoding: 'utf8' })
    assert.ok(status === 0 && !stderr.includes('ERROR:'), stderr)
  }
  // Some packages of PostgreSQL 15 store the attribute in this form.
  single("update pg_attribute set attoptions = '{pg_attver=1}' where attrelid = 'public.notes'::regclass and attname = 'body'")
  for (const more of [['--check'], []]) {
    const { status, text } = upgrade(more)
    assert.notEqual(status, 0, text)
    assert.match(text, /the column option pg_attver, .* into 1 columns.*\n {2}alter table public\.notes alter column body reset \(pg_attver\); {2}-- database postgres/)
    assert.doesNotMatch(text, /base backup was made/)
    assert.deepEqual([version(), beside()], [older, ['db']])
  }
  single('alter table public.notes alter column body reset (pg_attver)')
})

const notRoot = process.getuid() === 0 ? false : 'only root runs PostgreSQL under another account'
test('programs in a folder that is closed to the account that runs them are refused, and what to do is said', { skip: skip || notRoot }, () => {
  const closed = join(place.folder, 'newer')
  chmodSync(closed, 0o700)
  const { status, text } = upgrade(['--check'])
  chmodSync(closed, 0o755)
  assert.notEqual(status, 0)
  assert.match(text, /the unprivileged account that runs it may not enter that folder\. Run Cloch as another user than root/)
  assert.deepEqual([version(), beside()], [older, ['db']])
})

test('a check changes nothing', { skip }, () => {
  const { status, text } = upgrade(['--check'])
  assert.equal(status, 0, text)
  assert.match(text, new RegExp(`From PostgreSQL ${older} .* to 18 `))
  assert.match(text, /Nothing stands in the way/)
  assert.deepEqual([version(), beside()], [older, ['db']])
})

test('a start names the programs that it uses, and where newer ones are', { skip }, async () => {
  const path = `${oldPrograms}:${newer}:${process.env.PATH}`
  cloch = await start(place, { environment: { ...passphrase, PATH: path } })
  assert.match(cloch.output(), new RegExp(`The database is PostgreSQL ${older} and runs on the programs in .*version 18 is in .*cloch upgrade`))
  await cloch.stop()
})

test('the database moves, after a backup that was tried; everything is there', { skip }, async () => {
  const { status, text } = upgrade()
  assert.equal(status, 0, text)
  assert.match(text, /A base backup was made in .*and restored beside: 1 users, 1 files/)
  assert.match(text, /The database is PostgreSQL 18 now .* 1 users and 1 files among them/)
  assert.deepEqual([version(), beside()], ['18', ['db', `db-${older}`]])
  cloch = await start(place, { environment: { ...passphrase, CLOCH_POSTGRES_BIN: newer } })
  const { count } = await service().from('notes').select('*', { count: 'exact', head: true })
  assert.equal(count, 2000)
  assert.equal(must(await service().from('notes').select('id').ilike('body', '%note 1999%')).length, 1)
  assert.equal(await must(await service().storage.from('files').download('a.txt')).text(), 'kept bytes')
  const visitor = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
  must(await visitor.auth.signInWithPassword(user))
  must(await visitor.from('notes').insert({ body: 'mine' }))
  assert.deepEqual(must(await visitor.from('notes').select('body')), [{ body: 'mine' }])
  const sql = (statement) => spawnSync('psql', [cloch.keys.DB_URL, '-Atc', statement], { encoding: 'utf8' }).stdout.trim()
  assert.equal(sql("select count(*) from pg_stats where tablename = 'notes'") > 0, true, 'the planner has statistics')
  assert.match(sql('select version()'), /^PostgreSQL 18/)
})

test('the backup goes on with the new one, and can be restored', { skip }, () => {
  const made = run(['backup', 'now', '--project', place.project, '--data', place.data], { CLOCH_POSTGRES_BIN: newer })
  assert.equal(made.status, 0, `${made.text}${cloch.output()}`)
  const restored = run(['restore', '--from', target, '--data', join(place.folder, 'restored'), '--check'], { CLOCH_POSTGRES_BIN: newer })
  // The pg_verifybackup of one package of PostgreSQL 18 crashes. The restore is refused if this check does not run.
  if (spawnSync(join(newer, 'pg_verifybackup'), ['--version']).signal) {
    assert.match(restored.text, /pg_verifybackup: signal: 11/)
  } else {
    assert.equal(restored.status, 0, restored.text)
    assert.match(restored.text, /missing: nothing/)
  }
  const list = run(['backup', 'list', '--project', place.project, '--data', place.data], { CLOCH_POSTGRES_BIN: newer }).text
  assert.match(list, new RegExp(`files, PostgreSQL ${older}[^]*Every moment from[^]*files, PostgreSQL 18`))
  const checked = run(['backup', 'check', '--project', place.project, '--data', place.data])
  assert.equal(checked.status, 0, checked.text)
})

test('an older version does not start on it, and is told which one it needs', { skip }, async () => {
  await cloch.stop()
  const { status, text } = run(['start', '--project', place.project, '--data', place.data], { CLOCH_POSTGRES_BIN: oldPrograms })
  assert.notEqual(status, 0)
  assert.match(text, new RegExp(`was made by PostgreSQL 18, but .* is version ${major(oldPrograms)}.*cloch upgrade`))
})

test('the kept folder goes when it is told to', { skip }, () => {
  const gone = upgrade(['--remove-old'])
  assert.equal(gone.status, 0, gone.text)
  assert.match(gone.text, new RegExp(`Deleted .*db-${older}`))
  assert.deepEqual(beside(), ['db'])
  assert.match(upgrade(['--remove-old']).text, /No folder of an older version is kept/)
})
