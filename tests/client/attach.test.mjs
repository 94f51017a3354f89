/**
 * Cloch starts on a database that Supabase has created. It adds missing objects and keeps existing ones. If the server refuses to start, it changes
 * nothing.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

import { binary, makeProject, removePlace, sleep, start } from '../support/program.mjs'
import { compare, removePrepared, supabaseDatabase } from '../support/supabase_database.mjs'

after(removePrepared)

const platform = resolve(import.meta.dirname, '../../sql/platform')
const sqlFiles = readdirSync(platform, { recursive: true })
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(join(platform, name), 'utf8'))
/**
 * For the types of pgvector, Cloch has a stand-in: SQL that is used if the extension is missing. Its templates contain the word KIND in place of one
 * of these types.
 */
const vectorTypes = ['vector', 'halfvec', 'sparsevec']
const platformText = [...sqlFiles, ...vectorTypes.flatMap((type) => sqlFiles.filter((text) => text.includes('KIND')).map((text) => text.replaceAll('KIND', type)))].join('\n')

/** Changes that the project's owner has made to privileges and settings. Cloch must not revert any of them. */
const owners = `
  revoke all on schema storage from anon;
  revoke usage on schema graphql_public from anon, authenticated;
  revoke all on table storage.objects from anon;
  revoke all on table auth.sessions from dashboard_user;
  alter default privileges for role postgres in schema public revoke all on tables from anon;
  alter table auth.flow_state disable row level security;
  alter table storage.migrations disable row level security;
  alter table storage.objects disable trigger update_objects_updated_at;
  drop trigger protect_buckets_delete on storage.buckets;
  alter table storage.buckets add constraint buckets_versioning_disabled_check check (versioning_status = 'DISABLED');
  alter database postgres set app.settings.jwt_exp = '77';
  alter role authenticator set log_min_messages = 'error';
  alter role supabase_storage_admin reset search_path;
  create or replace function storage.filename(name text) returns text language sql immutable as 'select ''theirs''';
  comment on table storage.buckets is 'theirs';
  insert into auth.users (id, email) values ('00000000-0000-4000-8000-000000000001', 'ann@example.org');
  create table public.notes (id int primary key, owner uuid references auth.users (id));
  alter table public.notes owner to postgres;`

/** On hosted projects since 2025, role postgres is not a member of Supabase's roles and may not become a member. */
const hosted = 'revoke supabase_auth_admin, supabase_storage_admin from postgres; alter role postgres nocreaterole;'

const logins = {
  'a superuser': { login: 'supabase_admin' },
  'the owner of the database': {
    login: 'keeper',
    change: 'create role keeper login; grant postgres to keeper; alter database postgres owner to keeper;',
  },
  'a member of supabase_storage_admin': { login: 'postgres' },
  'postgres of a hosted project': { login: 'postgres', change: hosted },
}

const emptyProject = () => makeProject({ from: null, fresh: true })
const environment = (server, login) => ({ CLOCH_DB_URL: server.url(login) })

/** Checks that nothing has disappeared from a database, and that only objects of the platform were added. */
function onlyAdded(before, now) {
  const { lost, widened, added } = compare(before, now)
  assert.deepEqual(lost, [])
  const roles = (state) => new Set(state.get('roles').flatMap((line) => /^CREATE ROLE (\S+);/.exec(line)?.[1] ?? []))
  const newRoles = [...roles(now)].filter((role) => !roles(before).has(role))
  // If a role did not exist before, the owner cannot have revoked its privileges or memberships.
  const mentionsNewRole = (line) => newRoles.some((role) => line.includes(` ${role}`))
  assert.deepEqual(widened.filter((line) => !mentionsNewRole(line)), [])
  const isOfPlatform = (title) => {
    const [, name, type, schema] = /Name: (.*?); Type: (.*?); Schema: (.*?);/.exec(title)
    const existed = (start, end = '') => [...before.keys()].some((other) => other.startsWith(start) && other.includes(end))
    // A new privilege is allowed only on a new object or for a new role. The title has the form `TABLE name`.
    if (type === 'ACL' && existed(`Name: ${name.slice(name.indexOf(' ') + 1)}; `, `; Schema: ${schema};`)) return now.get(title).every(mentionsNewRole)
    if (type === 'DEFAULT ACL' && existed(`Name: ${schema}; Type: SCHEMA;`)) return now.get(title).every(mentionsNewRole)
    if (type.endsWith('ACL') || type === 'SEQUENCE SET') return true
    // If the schema is new, all of its objects are new too. The last check below uses the words of the object's name; a sequence has the name of its
    // table and column.
    if (schema !== '-' && !existed(`Name: ${schema}; Type: SCHEMA;`)) return true
    if (type === 'CAST') return vectorTypes.some((name) => title.includes(`extensions.${name}`))
    if (type === 'OPERATOR') return platformText.includes(`operator extensions.${name} `) || platformText.includes(` ${name} `)
    return name.split(/[ (]/).some((word) => word.length > 2 && platformText.includes(word.replace(/_[a-z]+_seq$/, '')))
  }
  assert.deepEqual(added.filter((title) => !isOfPlatform(title)), [])
  assert.doesNotMatch(added.join('\n'), /protect_buckets_delete/)
}

/** Checks that the whole database, including schema cloch, is unchanged. */
function unchanged(server, dump) {
  const now = server.dump()
  const [old, present] = [new Set(dump.split('\n')), new Set(now.split('\n'))]
  assert.deepEqual([...present].filter((line) => !old.has(line)), [], 'left behind')
  assert.deepEqual([...old].filter((line) => !present.has(line)), [], 'lost')
  assert.ok(now === dump, 'the order of the dump differs')
}

/** Checks that a user can sign up, that the table REST responds, and that a bucket can be created. */
async function serves(cloch) {
  const call = (path, key, body) =>
    fetch(`${cloch.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
  const responses = [
    await call('/auth/v1/signup', cloch.anonKey, { email: `${Math.random()}@example.org`, password: 'a long password 7' }),
    await call('/rest/v1/notes?select=id', cloch.serviceKey),
    await call('/storage/v1/bucket', cloch.serviceKey, { name: `b${Math.random()}` }),
  ]
  for (const response of responses) assert.equal(response.status, 200, `${response.url}: ${await response.text()}\n${cloch.output()}`)
}

for (const [name, { login, change = '' }] of Object.entries(logins)) {
  test(`the login is ${name}: two starts add platform objects and change nothing`, async (context) => {
    const server = await supabaseDatabase(owners + change)
    const place = await emptyProject()
    context.after(() => (server.remove(), removePlace(place)))
    const before = server.state()

    const first = await start(place, { environment: environment(server, login) })
    context.after(() => first.stop())
    assert.match(first.output(), /added outside of schema cloch/)
    // The server also logs an error if the disk of this machine is almost full. This test ignores that error.
    assert.doesNotMatch(first.output(), /Z ERROR (?!storage: space almost full)|partitions of realtime.messages failed/)
    await first.stop()
    const attached = server.state()
    onlyAdded(before, attached)

    const second = await start(place, { environment: environment(server, login) })
    context.after(() => second.stop())
    assert.doesNotMatch(second.output(), /added outside of schema cloch/)
    assert.deepEqual(compare(attached, server.state()), { lost: [], widened: [], added: [] })
    await serves(second)
    await second.stop()
  })
}

test('a start that is killed in the middle leaves nothing behind, and the next one succeeds', async (context) => {
  const server = await supabaseDatabase(owners)
  const place = await emptyProject()
  context.after(() => (server.remove(), removePlace(place)))
  const [before, dump] = [server.state(), server.dump()]
  // The lock stops the first start at the trigger on auth.sessions. At that point, a quarter of the SQL files has been applied.
  const locker = spawn('psql', ['-X', '-q', server.url('supabase_admin')], { stdio: ['pipe', 'ignore', 'inherit'] })
  locker.stdin.write('begin; lock table auth.sessions in share mode;\n')
  const child = spawn(binary, ['start', '--project', place.project, '--data', place.data], {
    env: { ...process.env, ...environment(server, 'postgres') },
    stdio: 'ignore',
  })
  const waits = () => server.sql("select count(*) from pg_locks where not granted and relation = 'auth.sessions'::regclass") === '1'
  while (!waits()) {
    assert.equal(child.exitCode, null, 'the start ended before it reached auth.sessions')
    await sleep(50)
  }
  child.kill('SIGKILL')
  locker.stdin.end('rollback;\n')
  const others = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
  while (server.sql(others) !== '0') await sleep(50)
  unchanged(server, dump)

  const next = await start(place, { environment: environment(server, 'postgres') })
  onlyAdded(before, server.state())
  await serves(next)
  await next.stop()
})

for (const [name, { login, change, message }] of Object.entries({
  'that cannot become the owner of the project': {
    login: 'keeper',
    change: 'create role keeper login; alter database postgres owner to keeper;',
    // The first SQL file that needs the owner's rights fails. The server checks the owner itself only after all files.
    message: /cannot serve it: .*permission denied for schema auth.*Nothing was changed/,
  },
  'that may not create a schema': {
    login: 'postgres',
    change: `${hosted} alter database postgres owner to supabase_admin; revoke all on database postgres from postgres;`,
    message: /may not create tables in schema cloch.*Nothing was changed.*grant create on database/,
  },
})) {
  test(`a login ${name} is refused twice, and the database is unchanged`, async (context) => {
    const server = await supabaseDatabase(owners + change)
    const place = await emptyProject()
    context.after(() => (server.remove(), removePlace(place)))
    const dump = server.dump()
    for (let round = 0; round < 2; round++) {
      await assert.rejects(start(place, { environment: environment(server, login) }), (error) => {
        assert.match(error.message.replaceAll('\n', ' '), message)
        return true
      })
      unchanged(server, dump)
    }
  })
}

test('what an earlier refused start has left does not make the database our own', async (context) => {
  const server = await supabaseDatabase(`${owners}
    create schema cloch; create table cloch.platform_migrations (version text primary key, name text not null, applied_at timestamptz not null default now());`)
  const place = await emptyProject()
  context.after(() => (server.remove(), removePlace(place)))
  const before = server.state()
  const cloch = await start(place, { environment: environment(server, 'supabase_admin') })
  await cloch.stop()
  onlyAdded(before, server.state())
})
