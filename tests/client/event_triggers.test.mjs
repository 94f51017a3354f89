/**
 * Event triggers of role postgres move with a project: export and import, import from a running database, dump and restore, backup, and upgrade. An
 * event trigger that cannot move is named with the reason. Event triggers neither disturb a load nor run in sessions of the server
 * (docs/role-postgres.md).
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { catalog, hasAll, migration, psql } from '../support/event_triggers.mjs'
import { binary, makeProject, removePlace, sleep, start } from '../support/program.mjs'
import { removePrepared, supabaseDatabase } from '../support/supabase_database.mjs'

const folder = process.env.CLOCH_HOOKS ?? dirname(binary)
const libraries = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('cloch_hooks-')) : []
const skip = libraries.length === 0 && 'the library cloch_hooks is not compiled (scripts/build-hooks)'
const passphrase = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }

const places = new Set()
const running = new Set()
let source

const empty = async (options = {}) => {
  const place = await makeProject({ from: null, ...options })
  places.add(place)
  return place
}
const begin = async (place, options) => {
  const server = await start(place, options)
  running.add(server)
  return server
}
const at = (place) => ['--project', place.project, '--data', place.data]
const run = (args, environment = {}) => {
  const { status, stdout, stderr } = spawnSync(binary, args, { env: { ...process.env, ...passphrase, ...environment }, encoding: 'utf8', timeout: 400_000 })
  return { status, stdout, text: stdout + stderr }
}
/** Starts a server twice, because the platform SQL runs as superuser at each start. */
async function servesAll(place, options) {
  const first = await begin(place, options)
  hasAll(first)
  await first.stop()
  const second = await begin(place, options)
  hasAll(second)
  await second.stop()
}
/** Writes a dump by hand. Returns its folder. */
function dumpOf(place, schema, roles = '') {
  const dump = join(place.folder, 'dump')
  mkdirSync(dump, { recursive: true })
  writeFileSync(join(dump, 'roles.sql'), roles)
  writeFileSync(join(dump, 'schema.sql'), schema)
  writeFileSync(join(dump, 'data.sql'), 'SET session_replication_role = replica;\n')
  return dump
}

before(async () => {
  if (skip) return
  source = await begin(await empty({ files: { 'migrations/20260101000000_all.sql': migration } }))
})
after(async () => {
  for (const server of running) await server.stop()
  for (const place of places) removePlace(place)
  removePrepared()
})

test('the project itself', { skip }, () => hasAll(source))

test('export and import', { skip }, async () => {
  const place = await empty()
  const dump = join(place.folder, 'export')
  const exported = run(['export', '--dir', dump, ...at(source)])
  assert.equal(exported.status, 0, exported.text)
  assert.doesNotMatch(exported.text, /left out/)
  // The event triggers are the last statements of schema.sql, so that they do not run for the other statements if psql loads the files.
  const statements = readFileSync(join(dump, 'schema.sql'), 'utf8').split(/;\n\n/).filter((text) => text.trim())
  const first = statements.findIndex((text) => text.includes('CREATE EVENT TRIGGER'))
  assert.ok(first > 0 && statements.slice(first).every((text) => /^(CREATE|ALTER|COMMENT ON) EVENT TRIGGER /.test(text)), statements.slice(first).join('\n'))
  const imported = run(['import', '--dir', dump, ...at(place)])
  assert.equal(imported.status, 0, imported.text)
  assert.match(imported.stdout, /event triggers +9 +9\n/)
  assert.match(imported.stdout, /Everything is here/)
  await servesAll(place)
})

test('import from a running database', { skip }, async () => {
  const place = await empty()
  const imported = run(['import', ...at(place)], { CLOCH_IMPORT_FROM: source.keys.DB_URL })
  assert.equal(imported.status, 0, imported.text)
  assert.match(imported.stdout, /event triggers +9 +9\n/)
  await servesAll(place)
})

test("import from a database that Supabase's SQL made", { skip }, async () => {
  // Supabase's library supautils writes the owner into the catalog, as Cloch's own does.
  const database = await supabaseDatabase(`set role postgres; ${migration.replaceAll(/^(create|alter|comment on|drop) event trigger .*$/gm, '')}
    create function public.rls_auto_enable() returns event_trigger language plpgsql security definer set search_path = pg_catalog as $$
      declare cmd record; begin for cmd in select * from pg_event_trigger_ddl_commands() where object_type = 'table' loop
        execute format('alter table if exists %s enable row level security', cmd.object_identity); end loop; end $$;
    create table public.open (id int primary key);
    reset role;
    ${migration.match(/^(create|alter|comment on) event trigger .*$/gm).join('\n')}
    create event trigger ensure_rls on ddl_command_end when tag in ('CREATE TABLE') execute function public.rls_auto_enable();
    update pg_event_trigger set evtowner = 'postgres'::regrole where evtname !~ '^(pgrst|issue)_';
    create event trigger of_admin on ddl_command_end execute function public.log_ddl();
    alter event trigger no_tables disable;`)
  try {
    const place = await empty()
    const imported = run(['import', ...at(place)], { CLOCH_IMPORT_FROM: database.url('postgres') })
    // Only the event trigger of a superuser is left out. The event triggers of Supabase's platform do not belong to the project.
    assert.equal(imported.status, 1, imported.text)
    assert.equal(imported.stdout.match(/EVENT TRIGGER/g)?.length, 1, imported.text)
    assert.match(imported.stdout, /CREATE EVENT TRIGGER "of_admin" .*: its owner supabase_admin is a superuser of the source/)
    assert.match(imported.stdout, /event triggers +10 +10\n/)
    const server = await begin(place)
    const sql = (...statements) => psql(server.keys.DB_URL, ...statements)
    assert.equal(sql("select relrowsecurity from pg_class where relname = 'open'"), 'f', 'the import was not changed by the event triggers that it imported')
    assert.equal(sql("select concat_ws(' ', evtenabled, evtowner::regrole, array_to_string(evttags, ',')) from pg_event_trigger where evtname = 'ensure_rls'"), 'O postgres CREATE TABLE')
    assert.equal(sql("create table public.closed (id int primary key); select relrowsecurity from pg_class where relname = 'closed'"), 't')
    assert.equal(sql('drop table public.closed; drop event trigger ensure_rls; alter event trigger no_tables enable'), '')
    hasAll(server)
    assert.equal(sql("select evtowner::regrole from pg_event_trigger where evtname = 'pgrst_ddl_watch'"), 'supabase_admin')
    await server.stop()
  } finally {
    database.remove()
  }
})

test('event triggers that cannot be created are named with the reason, and the rest is imported', { skip }, async () => {
  const place = await empty({ files: { 'cloch.toml': '' } })
  const dump = dumpOf(place, `
CREATE FUNCTION "public"."ok"() RETURNS "event_trigger" LANGUAGE plpgsql AS $$ begin end $$;
CREATE FUNCTION "public"."sets"() RETURNS "event_trigger" LANGUAGE plpgsql SET "default_text_search_config" TO 'x' AS $$ begin end $$;
CREATE FUNCTION "public"."wrong"() RETURNS "text" LANGUAGE sql AS $$ select 'x' $$;
-- CREATE EVENT TRIGGER "in_comment" ON "ddl_command_end"
--    EXECUTE FUNCTION "public"."ok"();
-- CREATE EVENT TRIGGER "pgrst_ddl_watch" ON "ddl_command_end"
COMMENT ON EVENT TRIGGER "in_comment" IS 'x';
CREATE EVENT TRIGGER "kept" ON "ddl_command_end" EXECUTE FUNCTION "public"."ok"();
ALTER EVENT TRIGGER "kept" OWNER TO "postgres";
CREATE EVENT TRIGGER "no_function" ON "ddl_command_end" EXECUTE FUNCTION "public"."missing"();
CREATE EVENT TRIGGER "no_function_any_more" ON "ddl_command_end" EXECUTE FUNCTION "public"."sets"();
CREATE EVENT TRIGGER "wrong_function" ON "ddl_command_end" EXECUTE FUNCTION "public"."wrong"();
CREATE EVENT TRIGGER "of_superuser" ON "ddl_command_end" EXECUTE FUNCTION "public"."ok"();
ALTER EVENT TRIGGER "of_superuser" OWNER TO "supabase_admin";
CREATE EVENT TRIGGER "of_keeper" ON "ddl_command_end" EXECUTE FUNCTION "public"."ok"();
ALTER EVENT TRIGGER "of_keeper" OWNER TO "keeper";
CREATE EVENT TRIGGER "logins" ON "login" EXECUTE FUNCTION "public"."ok"();
CREATE EVENT TRIGGER "unknown_tag" ON "ddl_command_end" WHEN TAG IN ('BAKE CAKE') EXECUTE FUNCTION "public"."ok"();
CREATE EVENT TRIGGER "of_platform" ON "ddl_command_end" EXECUTE FUNCTION "extensions"."pgrst_ddl_watch"();
CREATE EVENT TRIGGER "pgrst_drop_watch" ON "sql_drop" EXECUTE FUNCTION "public"."ok"();
ALTER EVENT TRIGGER "cloch_extension_created" DISABLE;
ALTER EVENT TRIGGER "of_nobody" DISABLE;
ALTER EVENT TRIGGER "kept" RENAME TO "renamed";
CREATE TABLE "public"."after" ("id" integer);
`)
  const imported = run(['import', '--dir', dump, ...at(place)])
  assert.equal(imported.status, 1, imported.text)
  for (const [what, reason] of [
    ['no_function', /its function "public"\."missing" is missing/],
    ['no_function_any_more', /its function "public"\."sets" is missing/],
    ['wrong_function', /must return type event_trigger/],
    ['of_superuser', /its owner supabase_admin is a superuser/],
    ['of_keeper', /its owner keeper is a superuser/],
    ['logins', /only superusers create event triggers of the event login/],
    ['unknown_tag', /"BAKE CAKE" not recognized/],
    ['of_platform', /belongs to the platform or to an extension/],
    ['in_comment', /`supabase db dump` writes event triggers as comments/],
    ['of_nobody', /the dump does not create this event trigger/],
    ['kept" RENAME', /a form that pg_dump does not write/],
  ]) {
    const lines = imported.stdout.split('\n').filter((text) => text.includes(`"${what}`) || text.includes(`event trigger ${what}:`))
    assert.ok(lines.some((line) => reason.test(line)), `${what}: ${imported.stdout}`)
  }
  assert.match(imported.stdout, /CREATE FUNCTION "public"\."sets".*: a function of an event trigger cannot set parameter/)
  assert.match(imported.text, /the event trigger pgrst_drop_watch belongs to the platform/)
  assert.doesNotMatch(imported.stdout, /EVENT TRIGGER "(pgrst|cloch)_/)
  const server = await begin(place)
  assert.equal(psql(server.keys.DB_URL, catalog), 'kept | ddl_command_end | O | ok | postgres')
  assert.equal(psql(server.keys.DB_URL, "select string_agg(concat_ws(' ', evtname, evtenabled, evtowner::regrole), ', ' order by evtname) from pg_event_trigger where evtname in ('cloch_extension_created', 'pgrst_drop_watch')"),
    'cloch_extension_created O supabase_admin, pgrst_drop_watch O supabase_admin')
  assert.equal(psql(server.keys.DB_URL, "select to_regclass('public.after') is not null"), 't')
  await server.stop()
})

test('event triggers that already exist in the target', { skip }, async () => {
  const present = `create schema own;
    create function own.forbid() returns event_trigger language plpgsql as $$ begin raise exception 'no % here', tg_tag; end $$;
    create function own.quiet() returns event_trigger language plpgsql as $$ begin end $$;
    create event trigger same on ddl_command_end execute function own.quiet();
    create event trigger other on ddl_command_end execute function own.quiet();
    create event trigger off on ddl_command_end execute function own.forbid();
    create event trigger no_schemas on ddl_command_end when tag in ('CREATE SCHEMA', 'CREATE TABLE', 'CREATE FUNCTION') execute function own.forbid();
    alter event trigger no_schemas enable always;
    alter event trigger off disable;`
  const place = await empty({ files: { 'migrations/20260101000000_present.sql': present } })
  await (await begin(place)).stop()
  const dump = dumpOf(place, `
CREATE TABLE "public"."loaded" ("id" integer);
CREATE EVENT TRIGGER "same" ON "ddl_command_end" EXECUTE FUNCTION "own"."quiet"();
ALTER EVENT TRIGGER "same" DISABLE;
COMMENT ON EVENT TRIGGER "same" IS 'from the dump';
CREATE EVENT TRIGGER "other" ON "sql_drop" EXECUTE FUNCTION "own"."quiet"();
`)
  const imported = run(['import', '--dir', dump, '--assume-migrated', ...at(place)])
  assert.equal(imported.status, 1, imported.text)
  assert.match(imported.stdout, /"other" ON "sql_drop".*: this database has another event trigger of this name/)
  const server = await begin(place)
  assert.equal(psql(server.keys.DB_URL, catalog), `no_schemas | ddl_command_end | A | {"CREATE SCHEMA","CREATE TABLE","CREATE FUNCTION"} | own.forbid | postgres
off | ddl_command_end | D | own.forbid | postgres
other | ddl_command_end | O | own.quiet | postgres
same | ddl_command_end | D | own.quiet | postgres | from the dump`)
  assert.equal(psql(server.keys.DB_URL, "select to_regclass('public.loaded') is not null"), 't')
  await server.stop()
})

test('without the library, an import leaves them out and names the reason', { skip }, async () => {
  const place = await empty()
  const without = { CLOCH_HOOKS: '/nonexistent' }
  const imported = run(['import', ...at(place)], { ...without, CLOCH_IMPORT_FROM: source.keys.DB_URL })
  assert.equal(imported.status, 1, imported.text)
  assert.equal(imported.stdout.match(/CREATE EVENT TRIGGER .*: .*only where the server loads the library cloch_hooks/g)?.length, 9, imported.stdout)
  assert.match(imported.stdout, /event triggers +9 +0 +DIFFERENT/)
  const server = await begin(place, { environment: without })
  assert.equal(psql(server.keys.DB_URL, catalog), '')
  assert.equal(psql(server.keys.DB_URL, 'select count(*) from public.items'), '1')
  await server.stop()
})

test('db dump and db restore', { skip }, async () => {
  const place = await empty()
  const file = join(place.folder, 'project.dump')
  const dumped = run(['db', 'dump', file, ...at(source)])
  assert.equal(dumped.status, 0, dumped.text)
  mkdirSync(place.data)
  copyFileSync(join(source.data, 'secrets.toml'), join(place.data, 'secrets.toml'))
  const roles = await begin({ ...place })
  assert.equal(psql(roles.keys.DB_URL, 'create role intruder nologin'), '')
  await roles.stop()
  const refused = run(['db', 'restore', file, '--yes', ...at(place)], { CLOCH_HOOKS: '/nonexistent' })
  assert.equal(refused.status, 1, refused.text)
  assert.match(refused.text, /nothing was changed\. This server does not load the library cloch_hooks/)
  const restored = run(['db', 'restore', file, '--yes', ...at(place)])
  assert.equal(restored.status, 0, restored.text)
  await servesAll(place)
})

test('db restore without the library: an error in the dump is not reported as a missing library', async () => {
  const place = await empty()
  const server = await begin(place)
  const schema = `create function public.allows(int) returns boolean language sql immutable as 'select true';
    create table public.checked (a int check (public.allows(a))); insert into public.checked values (1);
    create or replace function public.allows(int) returns boolean language plpgsql immutable as $$ begin raise 'the check is changed'; end $$`
  assert.doesNotMatch(psql(server.keys.DB_URL, schema), /ERROR/)
  const file = join(place.folder, 'project.dump')
  const dumped = run(['db', 'dump', file, ...at(place)])
  assert.equal(dumped.status, 0, dumped.text)
  await server.stop()
  const refused = run(['db', 'restore', file, '--yes', ...at(place)], { CLOCH_HOOKS: '/nonexistent' })
  assert.equal(refused.status, 1, refused.text)
  assert.match(refused.text, /the check is changed/)
  assert.match(refused.text, /pg_restore failed; its message stands above, and nothing was changed/)
  assert.doesNotMatch(refused.text, /nothing was changed\. This server does not load/)
})

test('backup and restore', { skip }, async () => {
  const place = await empty({ files: { 'migrations/20260101000000_all.sql': migration } })
  const target = join(place.folder, 'target')
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`)
  const first = await begin(place, { environment: passphrase })
  const made = run(['backup', 'now', ...at(place)])
  assert.equal(made.status, 0, made.text + first.output())
  await first.stop()
  const data = join(place.folder, 'restored')
  const restored = run(['restore', '--from', target, '--data', data])
  assert.equal(restored.status, 0, restored.text)
  rmSync(join(place.project, 'cloch.toml'))
  await servesAll({ ...place, data })
})

const newer = process.env.CLOCH_TEST_NEWER_POSTGRES
const oldest = existsSync('/usr/lib/postgresql/15/bin/initdb')
const noUpgrade = skip || (!libraries.some((name) => name.startsWith('cloch_hooks-18.')) && 'upgrade: cloch_hooks-18 is not built (scripts/build-hooks --all)')
  || (!(oldest && newer && existsSync(join(newer, 'pg_upgrade'))) && 'upgrade: PostgreSQL 15 or 18 is missing (CLOCH_TEST_NEWER_POSTGRES)')

test('upgrade from PostgreSQL 15 to 18', { skip: noUpgrade }, async () => {
  const place = await empty({ fresh: true, files: { 'migrations/20260101000000_all.sql': migration } })
  const old = { CLOCH_POSTGRES_BIN: '/usr/lib/postgresql/15/bin' }
  const first = await begin(place, { environment: old })
  hasAll(first)
  await first.stop()
  const upgraded = run(['upgrade', ...at(place)], { CLOCH_POSTGRES_BIN: newer })
  assert.equal(upgraded.status, 0, upgraded.text)
  assert.match(readFileSync(join(place.data, 'db/PG_VERSION'), 'utf8'), /^18/)
  await servesAll(place, { environment: { CLOCH_POSTGRES_BIN: newer } })
})
