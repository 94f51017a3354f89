/**
 * Runs the first statements of PowerSync's and Electric's documentation as role postgres, and creates Prisma's shadow database. The created roles can
 * replicate, and have only the privileges that the statements grant. `sync_engines.test.mjs` tests the programs themselves.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { after, before, test } from 'node:test'

import pg from 'pg'

import { binary, startProject } from '../support/program.mjs'

const library = process.env.CLOCH_HOOKS ?? dirname(binary)
const skip = !(existsSync(library) && readdirSync(library).some((name) => name.startsWith('cloch_hooks-'))) && 'the library cloch_hooks is not compiled (scripts/build-hooks)'
const schema = `
create table public.users (id int primary key, name text);
alter table public.users enable row level security;
insert into public.users values (1, 'Ann');
`
let server
before(async () => {
  server = await startProject({ from: null, files: { 'migrations/20260102000000_users.sql': schema } })
})
after(() => server?.remove())

/** Runs statements as a role, one after the other. Returns the last rows. */
async function as(role, password, statements, options = {}) {
  const url = new URL(server.keys.DB_URL)
  if (role) Object.assign(url, { username: role, password })
  const client = new pg.Client({ connectionString: url.href, ...options })
  await client.connect()
  try {
    let rows
    for (const statement of statements) ({ rows } = await client.query(statement))
    return rows
  } finally {
    await client.end()
  }
}
const owner = (...statements) => as(undefined, undefined, statements)

/** Checks actions that the role of a sync engine may not perform. */
async function isConfined(role, password) {
  const refused = [
    'select * from cloch.operators', 'select * from vault.decrypted_secrets', 'select * from auth.users', 'set role postgres', 'set role service_role',
    `alter role ${role} superuser`, 'create publication everything for all tables', "copy public.users to program 'cat'",
    'create event trigger own on ddl_command_end execute function extensions.pgrst_ddl_watch()',
  ]
  for (const statement of refused) await assert.rejects(as(role, password, [statement]), { code: '42501' }, statement)
}

const read = async (key) => (await fetch(`${server.url}/rest/v1/users`, { headers: { apikey: key } })).json()

test('PowerSync: role and publication for all tables', { skip }, async () => {
  const password = 'myhighlyrandompassword'
  await owner(
    `create role powersync_role with replication bypassrls login password '${password}'`,
    'grant select on all tables in schema public to powersync_role',
    'alter default privileges in schema public grant select on tables to powersync_role',
    'create publication powersync for all tables',
    'create table public.later (id int primary key)',
  )
  const sync = (...statements) => as('powersync_role', password, statements)
  assert.deepEqual(await sync('show wal_level'), [{ wal_level: 'logical' }])
  assert.deepEqual(await sync('select name from users', 'select id from later', 'select name from users'), [{ name: 'Ann' }])
  const published = await sync("select schemaname || '.' || tablename as name from pg_publication_tables where pubname = 'powersync' and schemaname in ('public', 'vault', 'cloch', 'net') order by 1")
  assert.deepEqual(published, [{ name: 'public.later' }, { name: 'public.users' }])

  const slot = ['CREATE_REPLICATION_SLOT powersync_1 LOGICAL pgoutput NOEXPORT_SNAPSHOT']
  assert.equal((await as('powersync_role', password, slot, { replication: 'database' }))[0].output_plugin, 'pgoutput')
  await owner("insert into users values (2, 'Ben')")
  const changes = await sync("select encode(data, 'escape') as text from pg_logical_slot_peek_binary_changes('powersync_1', null, null, 'proto_version', '1', 'publication_names', 'powersync')")
  assert.ok(changes.some(({ text }) => text.startsWith('I') && text.includes('Ben')), JSON.stringify(changes))

  await isConfined('powersync_role', password)
  await assert.rejects(sync("insert into users values (3, 'Eve')"), { code: '42501' })
  await assert.rejects(sync('create table public.own (id int)'), { code: '42501' })
  await sync("select pg_drop_replication_slot('powersync_1')")
})

test('Electric: a role that owns its tables and creates its publication', { skip }, async () => {
  const password = 'your_secure_password'
  await owner(
    `create role electric_user with login password '${password}' replication`,
    'grant connect, create on database postgres to electric_user',
    'grant usage, create on schema public to electric_user',
    'grant select, update, insert, delete on all tables in schema public to electric_user',
    'alter default privileges in schema public grant select, insert, update, delete on tables to electric_user',
    'grant electric_user to postgres',
    `do $$ declare r record; begin
       for r in select tablename from pg_tables where schemaname = 'public' loop execute 'alter table public.' || quote_ident(r.tablename) || ' owner to electric_user'; end loop;
     end $$`,
  )
  const before = await read(server.serviceKey)
  await as('electric_user', password, [
    'create publication electric_publication_default',
    'alter publication electric_publication_default add table public.users',
    'alter table public.users replica identity full',
    "select pg_create_logical_replication_slot('electric_slot_default', 'pgoutput')",
    "select pg_drop_replication_slot('electric_slot_default')",
  ])
  await isConfined('electric_user', password)
  // The API still returns the rows of the table that its policies allow.
  assert.deepEqual([await read(server.serviceKey), await read(server.anonKey)], [before, []])
  await owner('alter table public.users add column more int')
})

test('Prisma: a shadow database, emptied and dropped', async () => {
  const name = 'prisma_migrate_shadow_db_1'
  await owner(`create database ${name}`)
  try {
    const url = new URL(server.keys.DB_URL)
    url.pathname = name
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      await client.query("create table first (id int primary key); create type mood as enum ('sad', 'ok'); drop schema public cascade; create schema public; create table second (id int)")
    } finally {
      await client.end()
    }
  } finally {
    await owner(`drop database ${name}`)
  }
})
