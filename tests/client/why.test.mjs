/** Compares `cloch why` and `cloch advise` with the real responses to the client: the causes that they report, and their exit codes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, start } from '../support/program.mjs'

const schema = `
create table public.notes (id int primary key, owner uuid, body text);
alter table public.notes enable row level security;
grant select on public.notes to anon;
grant select, insert, update on public.notes to authenticated;
create policy "own notes are read" on public.notes for select to authenticated using ((select auth.uid()) = owner);
create policy "own notes are written" on public.notes for insert to authenticated with check ((select auth.uid()) = owner);
create policy "no shouting" on public.notes as restrictive for insert to authenticated with check (body = lower(body));
create table public.open (id int primary key);
revoke all on public.open from anon, authenticated;
create table public.leaky (id int primary key);
grant select on public.leaky to anon;
insert into public.notes values (1, null, 'nobody''s');
create table public.few (id int primary key);
alter table public.few enable row level security;
grant select on public.few to anon;
create policy "the first six" on public.few for select to anon using (id <= 6);
insert into public.few select generate_series(1, 9);
create schema api;
create table api.closed (id int primary key);
grant usage on schema api to anon;
`
let server
before(async () => {
  const place = await makeProject({ from: null, change: (config) => config.replace('[api]', '[api]\nschemas = ["public", "api"]'), files: { 'migrations/20260101000000_notes.sql': schema } })
  server = await start(place)
})
after(() => server?.remove())

const run = (command, ...options) => {
  const { status, stdout, stderr } = spawnSync(binary, [command, ...options, '--project', server.project, '--data', server.data])
  return { status, stdout: stdout.toString(), stderr: stderr.toString() }
}
const why = (...question) => {
  const { status, stdout, stderr } = run('why', ...question, '--json')
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}
const options = { auth: { persistSession: false, autoRefreshToken: false } }
const visitor = () => createClient(server.url, server.anonKey, options)

/** Creates a signed-in user. @returns the client and the user's id */
async function member(email) {
  const admin = createClient(server.url, server.serviceKey, options)
  const made = await admin.auth.admin.createUser({ email, password: 'a quiet harbour 27', email_confirm: true })
  assert.equal(made.error, null)
  const client = visitor()
  const signedIn = await client.auth.signInWithPassword({ email, password: 'a quiet harbour 27' })
  assert.equal(signedIn.error, null)
  return [client, made.data.user.id]
}

test('an empty response: the rows exist, and no policy applies to the visitor', async () => {
  const { data } = await visitor().from('notes').select()
  assert.deepEqual(data, [])
  const { outcome, cause, matching, visible } = why('GET', '/rest/v1/notes')
  assert.deepEqual([outcome, cause, matching, visible], ['hidden', 'no_policy', 1, { Ok: 0 }])
  const { stdout } = run('why', 'GET', '/rest/v1/notes')
  assert.match(stdout, /notes/)
})

test('a refusal without a privilege', async () => {
  const { error } = await visitor().from('open').select()
  assert.equal(error.code, '42501')
  const { outcome, cause, privilege, role } = why('GET', '/rest/v1/open')
  assert.deepEqual([outcome, cause, privilege, role], ['refused', 'privilege', 'SELECT', 'anon'])
})

test('a table of another exposed schema', async () => {
  const { error } = await visitor().schema('api').from('closed').select()
  assert.equal(error.code, '42501')
  const { relation, cause, privilege } = why('GET', '/rest/v1/closed', '--schema', 'api')
  assert.deepEqual([relation, cause, privilege], ['api.closed', 'privilege', 'SELECT'])
})

test('many visible rows and some hidden ones', async () => {
  const { data } = await visitor().from('few').select()
  assert.equal(data.length, 6)
  const { outcome, cause, candidates, policy_command } = why('GET', '/rest/v1/few')
  assert.deepEqual([outcome, cause, candidates, policy_command], ['partly', 'not_permitted', ['the first six'], 'SELECT'])
  assert.equal(why('GET', '/rest/v1/few?id=lt.7').outcome, 'allowed')
})

test('a restrictive policy refuses what a permissive one allows, and the explanation writes no row', async () => {
  const [client, id] = await member('ann@example.org')
  const row = { id: 2, owner: id, body: 'LOUD' }
  const { error } = await client.from('notes').insert(row)
  assert.equal(error.code, '42501')
  const loud = why('POST', '/rest/v1/notes', '--as', id, '--body', JSON.stringify(row))
  assert.deepEqual([loud.outcome, loud.cause, loud.policy], ['refused', 'restricted', 'no shouting'])
  const quiet = why('POST', '/rest/v1/notes', '--as', id, '--body', JSON.stringify({ ...row, body: 'quiet' }))
  assert.equal(quiet.outcome, 'allowed')
  assert.deepEqual((await client.from('notes').select()).data, [])
  const foreign = why('POST', '/rest/v1/notes', '--as', id, '--body', JSON.stringify({ ...row, owner: null, body: 'quiet' }))
  assert.deepEqual([foreign.cause, foreign.rows[0].would_be_enough], ['not_permitted', ['own notes are written']])
})

test('an invalid question ends with an error message', () => {
  for (const [question, message] of [
    [['GET', '/rest/v1/missing'], /missing/],
    [['GET', '/auth/v1/user'], /the path begins with/],
    [['GET', '/rest/v1/notes', '--schema', 'auth'], /schema/i],
    [['GET', '/rest/v1/notes', '--as', '00000000-0000-4000-8000-000000000000'], /there is no user/],
    [['GET', '/rest/v1/notes', '--as', '{'], /--as/],
    [['PATCH', '/storage/v1/object/bucket/path'], /storage has no PATCH/],
  ]) {
    const { status, stdout, stderr } = run('why', ...question)
    assert.equal(status, 1, `${question.join(' ')}: ${stdout}`)
    assert.match(stderr, message)
  }
})

test('advise fails from the level that CI requests, and not for findings that are ignored with a reason', () => {
  const found = run('advise', '--json')
  const { lints, ignored } = JSON.parse(found.stdout)
  const hole = lints.find(({ name, metadata }) => name === 'rls_disabled_in_public' && metadata.name === 'leaky')
  assert.ok(hole, found.stdout)
  assert.deepEqual([hole.level, ignored.length, found.status], ['ERROR', 0, 1])
  assert.equal(run('advise', '--fail-on', 'never').status, 0)
  assert.match(run('advise').stdout, /alter table public\.leaky enable row level security/i)

  const file = join(server.project, 'cloch.toml')
  writeFileSync(file, '[[advisors.ignore]]\nlint = "rls_disabled_in_public"\non = ["public.leaky"]\nreason = "Everybody may read it."\n')
  const again = JSON.parse(run('advise', '--json').stdout)
  assert.deepEqual(again.ignored.map(({ reason }) => reason), ['Everybody may read it.'])
  assert.equal(run('advise', '--fail-on', 'error').status, 0, 'only what is ignored was an error')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^reason.*\n/m, ''))
  const refused = run('advise')
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr, /reason/)
})
