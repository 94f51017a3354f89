/**
 * Cloch starts on a database that Supabase has created. It adds missing objects and keeps existing ones. If the server refuses to start, it changes
 * nothing.
 */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { after, test } from 'node:test'

import { attachTo, supabaseProject } from '../projects/attach_to.mjs'
import { environment, hosted, killedStart, logins, onlyAdded, unchanged } from '../support/attached.mjs'
import { makeProject, removePlace, start } from '../support/program.mjs'
import { compare, removePrepared, supabaseDatabase } from '../support/supabase_database.mjs'

after(removePrepared)

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

const emptyProject = () => makeProject({ from: null, fresh: true })

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
  test(`the login is ${name}: two starts add platform objects and change nothing else`, async (context) => {
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

test('a start that is killed half way leaves nothing behind, and the next one succeeds', async (context) => {
  const server = await supabaseDatabase(owners)
  const place = await emptyProject()
  context.after(() => (server.remove(), removePlace(place)))
  const [before, dump] = [server.state(), server.dump()]
  await killedStart(server, ['--project', place.project, '--data', place.data])
  unchanged(server, dump)

  const next = await start(place, { environment: environment(server, 'postgres') })
  onlyAdded(before, server.state())
  await serves(next)
  await next.stop()
})

// tests/projects/attach.mjs runs this test with public projects and with all logins.
test('a database that contains a project gets platform objects, and nothing else changes', async () => {
  const folder = resolve(import.meta.dirname, '../../examples/notes/supabase')
  const made = await supabaseProject(folder)
  assert.equal(made.refusal, undefined)
  assert.ok(made.migrations > 0)
  const { rows, starts } = await attachTo(made.server, folder, ['postgres of a hosted project', 'after a killed start'])
  made.server.remove()
  assert.ok(rows > 0)
  assert.deepEqual(starts, { 'postgres of a hosted project': {}, 'after a killed start': {} })
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

test('objects of an earlier refused start do not make the database count as Cloch’s own', async (context) => {
  const server = await supabaseDatabase(`${owners}
    create schema cloch; create table cloch.platform_migrations (version text primary key, name text not null, applied_at timestamptz not null default now());`)
  const place = await emptyProject()
  context.after(() => (server.remove(), removePlace(place)))
  const before = server.state()
  const cloch = await start(place, { environment: environment(server, 'supabase_admin') })
  await cloch.stop()
  onlyAdded(before, server.state())
})

const declared = '\n[storage.buckets.theirs]\npublic = false\nfile_size_limit = 10\n[storage.buckets.same]\npublic = true\n[storage.buckets.missing]\npublic = false\n'

test('buckets that config.toml declares with other settings stay as they are, and both values are logged', async (context) => {
  const server = await supabaseDatabase(`${owners}
    insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ('theirs', 'theirs', true, 7, '{image/png}'), ('same', 'same', true, null, null);`)
  const place = await makeProject({ from: null, fresh: true, change: (config) => config + declared })
  context.after(() => (server.remove(), removePlace(place)))
  const before = server.state()
  for (let round = 0; round < 2; round++) {
    const cloch = await start(place, { environment: environment(server, 'postgres') })
    const lines = cloch.output().split('\n').filter((line) => line.includes('config.toml declares another setting'))
    await cloch.stop()
    assert.equal(lines.length, 2, lines.join('\n'))
    assert.match(lines[0], /WARN.* bucket="theirs" setting="public" database=true config=false/)
    assert.match(lines[1], /WARN.* bucket="theirs" setting="file_size_limit" database=7 config=10/)
    onlyAdded(before, server.state(), ['missing'])
  }
})

test('on a database of Cloch, a start applies declared settings of buckets, and both values are logged', async (context) => {
  const place = await makeProject({ from: null, change: (config) => config + declared })
  context.after(() => removePlace(place))
  const headers = ({ serviceKey }) => ({ apikey: serviceKey, authorization: `Bearer ${serviceKey}`, 'content-type': 'application/json' })
  const first = await start(place)
  assert.doesNotMatch(first.output(), /setting of an existing bucket changed/)
  // As with the Supabase CLI, a bucket without a limit gets that of [storage].
  const limits = async ({ url, ...keys }) => Object.fromEntries((await (await fetch(`${url}/storage/v1/bucket`, { headers: headers(keys) })).json()).map(({ id, file_size_limit: limit }) => [id, limit]))
  assert.deepEqual(await limits(first), { theirs: 10, same: 50 * 1024 * 1024, missing: 50 * 1024 * 1024 })
  const body = JSON.stringify({ public: true, file_size_limit: 10, allowed_mime_types: ['image/png'] })
  const changed = await fetch(`${first.url}/storage/v1/bucket/theirs`, { method: 'PUT', headers: headers(first), body })
  assert.equal(changed.status, 200, await changed.text())
  await first.stop()
  const second = await start(place)
  const lines = second.output().split('\n').filter((line) => line.includes('setting of an existing bucket changed'))
  const bucket = await (await fetch(`${second.url}/storage/v1/bucket/theirs`, { headers: headers(second) })).json()
  await second.stop()
  assert.equal(lines.length, 1, lines.join('\n'))
  assert.match(lines[0], /bucket="theirs" setting="public" before=true now=false/)
  assert.deepEqual([bucket.public, bucket.file_size_limit, bucket.allowed_mime_types], [false, 10, ['image/png']])
})
