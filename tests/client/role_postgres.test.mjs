/**
 * Statements that Supabase allows its role `postgres`. They run as migrations, over the URL of the database, and in the sessions of the superuser at
 * the next start (docs/role-postgres.md). `sql/hooks/test.sh` contains all statements and the attacks on them.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { after, test } from 'node:test'

import { binary, makeProject, removePlace, start } from '../support/program.mjs'

const folder = process.env.CLOCH_HOOKS ?? dirname(binary)
const hasLibrary = existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('cloch_hooks-'))
const skip = !hasLibrary && 'the library cloch_hooks is not compiled (scripts/build-hooks)'

const migrations = {
  'migrations/20260101000000_event_trigger.sql': `
    create table public.ddl_log (who text, tag text);
    create function public.log_ddl() returns event_trigger language plpgsql as $$
    begin insert into public.ddl_log values (current_user, tg_tag); end $$;
    create event trigger log_ddl on ddl_command_end execute function public.log_ddl();`,
  'migrations/20260101000001_extension.sql': 'create extension if not exists pg_trgm;',
  'migrations/20260101000002_schema.sql': 'alter extension pg_trgm set schema extensions;',
  'migrations/20260101000003_sync.sql': `
    create publication powersync for all tables;
    create role sync_role with replication bypassrls login password 'x';
    create foreign data wrapper elsewhere;`,
  'migrations/20260101000004_in_auth.sql': `
    create function auth.current_user_id() returns uuid language sql stable return auth.uid();
    grant execute on function auth.current_user_id() to anon;
    create table auth.notes (id serial primary key);
    grant select on auth.notes to anon;`,
}
/** The privileges of the project's objects in schema auth. */
const privileges = `select string_agg(name || ' ' || coalesce(acl::text, 'default'), ' ' order by name) from (
  select proname as name, proacl as acl from pg_proc where oid = 'auth.current_user_id'::regproc
  union all select relname, relacl from pg_class where relnamespace = 'auth'::regnamespace and relname like 'notes%') as objects`

const place = await makeProject({ from: null, fresh: true, files: migrations })
after(() => removePlace(place))

function sql(server, text) {
  const { status, stdout, stderr } = spawnSync('psql', [server.keys.DB_URL, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', text], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : `failed: ${stderr}`
}

test('migrations, psql and a second start', { skip }, async () => {
  let server = await start(place)
  assert.equal(sql(server, "select evtowner::regrole from pg_event_trigger where evtname = 'log_ddl'"), 'postgres')
  assert.equal(sql(server, "select extnamespace::regnamespace from pg_extension where extname = 'pg_trgm'"), 'extensions')
  assert.equal(sql(server, "select pubowner::regrole from pg_publication where pubname = 'powersync'"), 'postgres')
  assert.equal(sql(server, "select rolbypassrls and rolreplication from pg_roles where rolname = 'sync_role'"), 't')
  assert.equal(sql(server, "select count(*) from pg_publication_tables where pubname = 'powersync' and schemaname in ('cloch', 'vault')"), '0')
  assert.match(sql(server, 'grant cloch_server to sync_role'), /is reserved|permission denied|admin option/)
  assert.equal(sql(server, 'truncate public.ddl_log; create table public.by_postgres (a int)'), '')
  assert.equal(sql(server, 'select who, tag from public.ddl_log'), 'postgres|CREATE TABLE')
  const before = sql(server, privileges)
  assert.match(before, /current_user_id .*anon=X.* notes .*anon=r.* notes_id_seq /)
  assert.doesNotMatch(before, /cloch_server/)
  await server.stop()
  // When the server starts, it runs the platform SQL as superuser. The project's event trigger must not run there.
  server = await start(place)
  assert.equal(sql(server, "select count(*) from public.ddl_log where who <> 'postgres'"), '0')
  assert.equal(sql(server, "select evtenabled from pg_event_trigger where evtname = 'log_ddl'"), 'O')
  assert.equal(sql(server, privileges), before, 'a start does not change the privileges of the project’s objects')
  await server.stop()
})

test('a start without the library disables the event triggers', { skip }, async () => {
  const server = await start(place, { environment: { CLOCH_HOOKS: '/nonexistent' } })
  assert.equal(sql(server, "select evtenabled from pg_event_trigger where evtname = 'log_ddl'"), 'D')
  assert.match(server.output(), /event triggers disabled because library cloch_hooks is not loaded: log_ddl/)
  await server.stop()
})
