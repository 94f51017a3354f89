/**
 * A database is restored from a dump: users can sign in, files exist, and jobs, secrets and queue messages work. If the restore is not possible,
 * nothing changes.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const migration = `
create table public.notes (id bigint primary key, body text not null);
alter table public.notes enable row level security;
create policy "members read" on public.notes for select to authenticated using (true);
grant select on public.notes to authenticated;
alter publication supabase_realtime add table public.notes;
create role keeper nologin;
alter database postgres set work_mem = '5MB';
alter database postgres set search_path = "$user", public, extensions;
insert into storage.buckets (id, name, public) values ('files', 'files', false);
select cron.schedule('note the time', '1 seconds', 'insert into public.notes values (1, ''from cron'') on conflict do nothing');
select vault.create_secret('the secret', 'mine');
create function public.reveal() returns text language sql security definer set search_path = '' as
  $$ select decrypted_secret from vault.decrypted_secrets where name = 'mine' $$;
create function public.memory() returns text language sql as $$ select current_setting('work_mem') $$;
`
const user = { email: 'keeper@example.org', password: 'correct horse battery' }
const running = new Set()
after(async () => {
  for (const cloch of running) await cloch.remove()
})

const run = (...given) => execFileSync(binary, given, { stdio: 'pipe', timeout: 120_000 }).toString()
const of = (place, data = place.data) => ['--project', place.project, '--data', data]
const service = (cloch) => createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
const mode = (path) => statSync(path).mode & 0o777

const begin = async (place) => {
  const cloch = await start(place)
  running.add(cloch)
  return cloch
}

test('a project is dumped while it runs, and restored into a new folder', async (context) => {
  const place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  const first = await begin(place)
  const admin = service(first)
  assert.equal((await admin.auth.admin.createUser({ ...user, email_confirm: true })).error, null)
  assert.equal((await admin.storage.from('files').upload('a/b.txt', 'kept bytes')).error, null)
  const file = join(place.folder, 'project.dump')
  run('db', 'dump', file, ...of(place))
  assert.equal(mode(file), 0o600)
  await first.stop()

  const data = join(place.folder, 'restored')
  mkdirSync(data)
  copyFileSync(join(place.data, 'secrets.toml'), join(data, 'secrets.toml'))
  cpSync(join(place.data, 'objects'), join(data, 'objects'), { recursive: true })

  await context.test('a truncated dump changes nothing', () => {
    const cut = join(place.folder, 'cut.dump')
    copyFileSync(file, cut)
    truncateSync(cut, statSync(file).size - 3000)
    for (const [flags, message] of [[[], /it has no seal/], [['--trust'], /nothing was changed/]]) {
      assert.throws(
        () => run('db', 'restore', cut, ...flags, ...of(place, data)),
        (error) => message.test(error.stderr.toString()),
      )
    }
  })

  run('db', 'restore', file, ...of(place, data))
  const second = await begin({ ...place, data })
  const client = createClient(second.url, second.anonKey, { auth: { persistSession: false } })

  await context.test('users sign in', async () => {
    const { error } = await client.auth.signInWithPassword(user)
    assert.equal(error, null)
  })
  await context.test('files exist', async () => {
    const { data: blob, error } = await service(second).storage.from('files').download('a/b.txt')
    assert.equal(error, null)
    assert.equal(await blob.text(), 'kept bytes')
  })
  await context.test('the vault can be decrypted, and settings of the database are kept', async () => {
    assert.equal((await service(second).rpc('reveal')).data, 'the secret')
    assert.equal((await service(second).rpc('memory')).data, '5MB')
    const path = "select setting from pg_db_role_setting, unnest(setconfig) as setting where setrole = 0 and setting like 'search_path=%'"
    const kept = execFileSync('psql', [second.keys.DB_URL, '-qAtc', path]).toString().trim()
    assert.equal(kept, 'search_path="$user", public, extensions')
  })
  await context.test('changes of tables are sent, and jobs run', async () => {
    const told = []
    let status
    client.channel('changes').on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, (change) => told.push(change.new.body))
      .on('system', {}, (message) => (status = message.status))
      .subscribe()
    await until(() => status === 'ok', 'no subscription')
    await service(second).from('notes').delete().eq('id', 1)
    await until(() => told.includes('from cron'), 'the job did not run, or its row was not told of')
  })
  await context.test('a database sends messages', async () => {
    const heard = []
    const channel = client.channel('news').on('broadcast', { event: 'hello' }, (message) => heard.push(message.payload.text))
    await new Promise((done) => channel.subscribe((state) => state === 'SUBSCRIBED' && done()))
    execFileSync('psql', [second.keys.DB_URL, '-qAtc', `select realtime.send('{"text":"hi"}', 'hello', 'news', false)`])
    await until(() => heard.includes('hi'), 'no message')
    await client.removeAllChannels()
  })
  await context.test('a database that is in use is not overwritten', () => {
    assert.throws(
      () => run('db', 'restore', file, ...of(place, data)),
      (error) => /holds users or files already/.test(error.stderr.toString()),
    )
  })
})

test('the club’s project is restored into a running server', async () => {
  const place = await makeProject({ seed: true })
  const first = await begin(place)
  const count = async (cloch) => (await service(cloch).from('schools').select('*', { count: 'exact', head: true })).count
  const schools = await count(first)
  assert.ok(schools > 0)
  const file = join(place.folder, 'club.dump')
  run('db', 'dump', file, ...of(place))
  await first.stop()

  const other = await makeProject()
  const second = await begin(other)
  assert.equal(await count(second), 0)
  const table = (await service(second).from('schools').insert({ name: 'Kept' })).error
  assert.equal(table, null)
  assert.throws(() => run('db', 'restore', file, '--trust', ...of(other)), (error) => /holds rows already, in tables such as \w+\.\w+: .*--yes/.test(error.stderr.toString()))
  assert.equal(await count(second), 1)
  run('db', 'restore', file, '--yes', '--trust', ...of(other))
  await until(async () => (await count(second)) === schools, 'the rows are not there')
  await second.stop()
  const again = await begin(other)
  assert.equal(await count(again), schools)
})

test('killed in the middle, a restore leaves the database as it was', async () => {
  const filled = 'create table public.filled as select generate_series(1, 300000) as n, repeat(md5(random()::text), 20) as filler'
  const place = await makeProject({ from: null, files: { 'migrations/1_filled.sql': filled } })
  const first = await begin(place)
  const file = join(place.folder, 'filled.dump')
  run('db', 'dump', file, ...of(place))
  await first.stop()

  const other = await makeProject({ from: null, files: { 'migrations/1_other.sql': 'create table public.other (id int primary key); insert into other values (7)' } })
  const second = await begin(other)
  const names = () => execFileSync('psql', [second.keys.DB_URL, '-qAtc', 'select datname from pg_database']).toString().split('\n')
  const restoring = spawn(binary, ['db', 'restore', file, '--yes', '--trust', ...of(other)], { stdio: 'ignore' })
  const ended = once(restoring, 'exit')
  await until(() => names().includes('cloch_restored'), 'the restore did not begin')
  restoring.kill('SIGKILL')
  await ended
  await second.kill()

  const again = await begin(other)
  assert.deepEqual((await service(again).from('other').select()).data, [{ id: 7 }])
  assert.deepEqual(names().filter((name) => name.startsWith('cloch_')), [])
  run('db', 'restore', file, '--yes', '--trust', ...of(other))
  await until(async () => (await service(again).from('filled').select('n').eq('n', 300000)).data?.length === 1, 'the rows are not there')
})

test('a dump can be read only by its owner, whatever mode an existing file had', async () => {
  const place = await makeProject({ from: null })
  const cloch = await begin(place)
  const file = join(place.folder, 'a.dump')
  run('db', 'dump', file, ...of(place))
  chmodSync(file, 0o644)
  run('db', 'dump', file, ...of(place))
  assert.equal(mode(file), 0o600)
  await cloch.stop()
  assert.throws(() => run('db', 'dump', join(place.folder, 'no/such/folder.dump'), ...of(place)))
})
