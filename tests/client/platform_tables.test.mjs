/**
 * Statements of role postgres about the platform's tables, schema public, owners and extensions. They are executed in four ways: as a
 * migration, through the Management API, on the dashboard's SQL page, and in a database session. After each statement, sign-ins, the table REST
 * API and storage must still work.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { firstOperator } from '../support/dashboard.mjs'
import { query } from '../support/database.mjs'
import { binary, startProject } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const library = process.env.CLOCH_HOOKS ?? dirname(binary)
const noLibrary = !(existsSync(library) && readdirSync(library).some((name) => name.startsWith('cloch_hooks-'))) && 'the library cloch_hooks is not compiled (scripts/build-hooks)'
const password = 'a quiet harbour 27'
const schema = `
create table if not exists public.notes (id int primary key, body text not null);
alter table public.notes enable row level security;
create policy "everybody reads" on public.notes for select to anon, authenticated using (true);
create table if not exists public.profiles (id uuid primary key references auth.users (id) on delete cascade, name text);
insert into public.notes values (1, 'first') on conflict do nothing;
`
let server, owner
let files = 0
before(async () => {
  server = await startProject({ from: null, files: { 'migrations/20260101000000_notes.sql': schema } })
  owner = await firstOperator(server)
})
after(() => server?.remove())

/** Ways to execute statements as role postgres. Each returns the error message, or an empty text. */
const ways = {
  'a migration': async (text) => {
    const file = join(server.project, `migrations/2026020100${String((files += 1)).padStart(4, '0')}_statement.sql`)
    writeFileSync(file, text)
    const { status, stdout, stderr } = spawnSync(binary, ['db', 'migrate', '--project', server.project, '--data', server.data], { encoding: 'utf8', timeout: 120_000 })
    if (status !== 0) rmSync(file)
    return status === 0 ? '' : stdout + stderr
  },
  'the Management API': async (text) => {
    const response = await fetch(`${server.url}/v1/projects/${server.keys.PROJECT_REF}/database/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.keys.SUPABASE_ACCESS_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
    })
    return response.ok ? '' : response.text()
  },
  'the SQL page': async (text) => {
    const { error } = await owner.must('POST', '/sql/run', { sql: text, read_only: false })
    return error === null ? '' : JSON.stringify(error)
  },
  'a session of the database': async (text) => {
    const { status, stderr } = spawnSync('psql', [server.keys.DB_URL, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', text], { encoding: 'utf8' })
    return status === 0 ? '' : stderr
  },
}
const sql = async (statement) => (await query(server.keys.DB_URL, statement))[0]
const client = (key) => createClient(server.url, key, { auth: { persistSession: false, autoRefreshToken: false } })

/** Creates a user, who signs in, reads notes, and stores and reads a file. */
async function everythingWorks(name) {
  const admin = client(server.serviceKey)
  const email = `${name}@example.org`
  const made = await admin.auth.admin.createUser({ email, password, email_confirm: true })
  assert.equal(made.error, null)
  const user = client(server.anonKey)
  const { error } = await user.auth.signInWithPassword({ email, password })
  assert.equal(error, null)
  assert.equal((await user.auth.refreshSession()).error, null)
  await until(async () => (await user.from('notes').select('body')).data?.[0]?.body === 'first', 'the table REST does not read the notes')
  assert.equal((await admin.from('profiles').insert({ id: made.data.user.id, name })).error, null)
  await admin.storage.createBucket('files')
  assert.equal((await admin.storage.from('files').upload('a.txt', name, { upsert: true })).error, null)
  assert.equal(await (await admin.storage.from('files').download('a.txt')).data.text(), name)
  assert.equal((await user.auth.signOut()).error, null)
}

/** Grants from Supabase's documentation for a schema public that was created again. */
const grants = `
grant usage on schema public to postgres, anon, authenticated, service_role;
grant all on all tables in schema public to postgres, anon, authenticated, service_role;
grant all on all functions in schema public to postgres, anon, authenticated, service_role;
grant all on all sequences in schema public to postgres, anon, authenticated, service_role;
alter default privileges in schema public grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to postgres, anon, authenticated, service_role;
`

for (const [way, run] of Object.entries(ways)) {
  const name = way.replaceAll(' ', '-').toLowerCase()

  test(`${way}: users are truncated and deleted`, async () => {
    for (const [round, statement] of [['one', 'truncate auth.users cascade'], ['two', 'delete from auth.users'], ['three', 'truncate table auth.users, storage.buckets cascade']]) {
      await everythingWorks(`${name}-${round}`)
      assert.equal(await run(statement), '')
      const { users, profiles, sessions } = await sql('select (select count(*)::int from auth.users) as users, (select count(*)::int from public.profiles) as profiles, (select count(*)::int from auth.sessions) as sessions')
      assert.deepEqual([users, profiles, sessions], [0, 0, 0], statement)
    }
    await everythingWorks(`${name}-after`)
  })

  test(`${way}: schema public is dropped and created again`, async () => {
    assert.equal(await run('drop schema public cascade; create schema public;'), '')
    assert.equal(await run(schema), '')
    // PostgreSQL grants no rights on a new schema. The table REST API refuses requests until the grants are made, as on Supabase.
    const read = () => client(server.anonKey).from('notes').select('body')
    await until(async () => (await read()).error?.code === '42501', 'the table REST serves a schema without grants')
    assert.equal(await run(grants), '')
    await until(async () => (await read()).data?.length === 1, 'the table REST does not read the notes after the grants')
    // Tables that are created later get the default privileges.
    assert.equal(await run('create table public.later (id int primary key); insert into public.later values (7)'), '')
    await until(async () => (await client(server.serviceKey).from('later').select('id')).data?.[0]?.id === 7, 'the new table is not served')
    await everythingWorks(`${name}-public`)
  })

  test(`${way}: owners of the project's objects`, async () => {
    assert.equal(await run('create role keeper; grant keeper to postgres; grant usage, create on schema public to keeper; alter table public.notes owner to keeper'), '')
    assert.deepEqual(await sql("select relowner::regrole::text as owner from pg_class where oid = 'public.notes'::regclass"), { owner: 'keeper' })
    await everythingWorks(`${name}-owner`)
    assert.equal(await run('reassign owned by keeper to postgres; drop owned by keeper; drop role keeper'), '')
    assert.deepEqual(await sql("select relowner::regrole::text as owner from pg_class where oid = 'public.notes'::regclass"), { owner: 'postgres' })
    await everythingWorks(`${name}-reassigned`)
  })

  test(`${way}: owners of the platform's objects`, { skip: noLibrary }, async () => {
    for (const [statement, message] of [
      ['alter table auth.users owner to postgres', /must be owner of table users/],
      ['alter table storage.objects owner to postgres', /must be owner of table objects/],
      ['alter function auth.uid() owner to postgres', /must be owner of function uid/],
      ['alter table auth.users rename to people', /must be owner of table users/],
      ['create schema aside; grant create on schema aside to supabase_auth_admin; alter table auth.sessions set schema aside', /must be owner of table sessions/],
      ['drop table auth.audit_log_entries', /must be owner of table audit_log_entries/],
      ['drop table auth.users cascade', /must be owner of /],
      ['set role supabase_auth_admin; drop table auth.audit_log_entries', /must be owner of table audit_log_entries/],
      ['alter function auth.uid() rename to own', /must be owner of function uid/],
      ['drop function storage.foldername(text)', /must be owner of function foldername/],
      ['drop schema storage cascade', /must be owner of /],
      ['alter schema auth rename to accounts', /must be owner of schema auth/],
      ['reassign owned by supabase_auth_admin to postgres', /permission denied to reassign objects/],
      ['drop owned by supabase_storage_admin cascade', /permission denied to drop objects/],
    ]) assert.match(await run(statement), message, statement)
    // Dumps of hosted projects set the owner that the table already has.
    assert.equal(await run('alter table auth.users owner to supabase_auth_admin; alter table storage.objects owner to supabase_storage_admin'), '')
    await everythingWorks(`${name}-platform`)
  })

  test(`${way}: policies and triggers on the platform's tables`, async () => {
    // The tables of supautils.policy_grants and supautils.drop_trigger_grants on Supabase.
    const tables = ['auth.users', 'auth.identities', 'auth.sessions', 'auth.refresh_tokens', 'auth.audit_log_entries', 'storage.buckets', 'storage.objects',
      'storage.migrations', 'storage.s3_multipart_uploads', 'storage.s3_multipart_uploads_parts', 'realtime.messages']
    assert.equal(await run("create function public.nothing() returns trigger language plpgsql as 'begin return null; end'"), '')
    for (const table of tables) {
      assert.equal(await run(`create policy p on ${table} for select to authenticated using (true); alter policy p on ${table} using (false); drop policy p on ${table};
        create trigger t after insert on ${table} for each statement execute function public.nothing(); drop trigger t on ${table}`), '', table)
    }
    assert.equal(await run('drop function public.nothing()'), '')
  })

  test(`${way}: extensions of a new project`, async () => {
    const six = ['plpgsql', 'pg_stat_statements', 'pgcrypto', 'uuid-ossp', 'supabase_vault', 'pg_graphql']
    for (const extension of six) assert.equal(await run(`create extension if not exists "${extension}"`), '', extension)
    for (const [extension, where] of [['pg_stat_statements', 'extensions'], ['pgcrypto', 'extensions'], ['uuid-ossp', 'extensions'], ['supabase_vault', 'vault'], ['pg_graphql', 'graphql']])
      assert.equal(await run(`create extension if not exists "${extension}" with schema "${where}"`), '', extension)
    const present = await query(server.keys.DB_URL, 'select extname::text as name from pg_extension')
    assert.deepEqual(six.filter((extension) => !present.some((row) => row.name === extension)), [])
    assert.equal(await run('select extensions.uuid_generate_v4(), extensions.crypt(\'a\', extensions.gen_salt(\'bf\', 4)), (select count(*) from extensions.pg_stat_statements)'), '')
    assert.equal(await run('create extension if not exists vector with schema extensions; alter extension vector update'), '')
    assert.equal(await run("create table if not exists public.items (v extensions.vector(3)); insert into public.items values ('[1,2,3]')"), '')
    assert.equal(await run('drop table public.items; drop extension vector'), '')
    await everythingWorks(`${name}-extensions`)
  })

  // supautils.extensions_parameter_overrides, and the script that Supabase executes after `create extension postgres_fdw`.
  test(`${way}: extensions with a schema or rights of their own`, async () => {
    for (const schema of ['public', 'extensions', 'pg_catalog']) {
      assert.equal(await run(`create extension pg_cron with schema ${schema}`), '', schema)
      assert.equal(await run("select cron.schedule('never', '0 0 1 1 *', 'select 1'); select cron.unschedule('never'); drop extension pg_cron"), '', schema)
    }
    assert.equal(await run("create extension postgres_fdw with schema extensions; create server elsewhere foreign data wrapper postgres_fdw options (host '127.0.0.1')"), '')
    assert.equal(await run('drop extension postgres_fdw cascade'), '')
  })
}

test('the roles of Supabase’s tools have the same attributes as on Supabase', async () => {
  const roles = await query(server.keys.DB_URL, `
    select rolname::text as name, concat_ws(' ', case when rolsuper then 'superuser' end, case when rolcanlogin then 'login' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end, case when rolbypassrls then 'bypassrls' end) as attributes
      from pg_roles where rolname in ('dashboard_user', 'pgbouncer') order by 1`)
  assert.deepEqual(roles, [{ name: 'dashboard_user', attributes: 'createrole createdb replication' }, { name: 'pgbouncer', attributes: 'login' }])
})
