/** Paths that Supabase's gateway (Kong) accepts or answers: `/graphql/v1`, repeated slashes, paths that belong to no endpoint, disabled APIs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { query } from '../support/database.mjs'
import { startProject } from '../support/program.mjs'

const sql = `
create table public.boats (name text primary key);
alter table public.boats enable row level security;
create policy "everybody reads" on public.boats for select using (true);
grant select on public.boats to anon;
insert into public.boats values ('Seonaid');
insert into storage.buckets (id, name, public) values ('open', 'open', true);
`
let cloch
const call = (path, { key = cloch.anonKey, headers, ...options } = {}) => fetch(cloch.url + path, { ...options, headers: { apikey: key, authorization: `Bearer ${key}`, ...headers } })
const post = (path, body, options = {}) => call(path, { method: 'POST', body: JSON.stringify(body), ...options, headers: { 'content-type': 'application/json', ...options.headers } })

/** Executes a statement as the owner of the platform's objects. */
function asSuperuser(statement) {
  const url = new URL(cloch.keys.DB_URL)
  url.username = 'supabase_admin'
  url.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(cloch.data, 'secrets.toml'), 'utf8'))[1]
  return query(url.href, statement)
}

before(async () => {
  cloch = await startProject({ from: null, files: { 'migrations/20261130000000_boats.sql': sql } })
})
after(() => cloch?.remove())

test('GraphQL without pg_graphql: the error of a Supabase project that lacks it', async () => {
  const response = await post('/graphql/v1', { query: '{ boatsCollection { edges { node { name } } } }' })
  // Supabase's function issue_graphql_placeholder creates the function with this text.
  assert.deepEqual([response.status, await response.json()], [200, { errors: [{ message: 'pg_graphql extension is not enabled.' }] }])
})

test('GraphQL requests call graphql_public.graphql with their four members', async () => {
  await asSuperuser(`create or replace function graphql_public.graphql("operationName" text default null, query text default null, variables jsonb default null, extensions jsonb default null)
    returns jsonb language sql stable as $$ select jsonb_build_object('data', jsonb_build_array("operationName", query, variables, extensions, current_user)) $$`)
  const request = { query: 'query Q($a: Int) { a }', operationName: 'Q', variables: { a: 1 }, extensions: { trace: true } }
  const expected = { data: ['Q', request.query, request.variables, request.extensions, 'anon'] }
  assert.deepEqual(await (await post('/graphql/v1', request)).json(), expected)
  assert.deepEqual(await (await post('/graphql/v1/', request, { headers: { 'content-profile': 'public' } })).json(), expected)
  const query = new URLSearchParams({ query: request.query, operationName: 'Q', variables: '{"a":1}', extensions: '{"trace":true}' })
  assert.deepEqual(await (await call(`/graphql/v1?${query}`)).json(), expected)
})

test('errors of GraphQL requests have the form that GraphQL clients read', async () => {
  for (const [response, status, message] of [
    [await post('/graphql/v1', { unknown: 1 }), 404, /Could not find the function graphql_public.graphql/],
    [await post('/graphql/v1', {}, { headers: { authorization: 'Bearer wrong' } }), 401, /./],
    [await call('/graphql/v1', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }), 400, /./],
    [await post('/graphql/v1/elsewhere', {}), 404, /this path does not exist/],
  ]) {
    const { errors, ...rest } = await response.json()
    assert.equal(response.status, status)
    assert.deepEqual([errors.length, Object.keys(rest)], [1, []])
    assert.match(errors[0].message, message)
  }
  const preflight = await fetch(`${cloch.url}/graphql/v1`, { method: 'OPTIONS', headers: { origin: 'https://app.example', 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' } })
  assert.deepEqual([preflight.ok, preflight.headers.get('access-control-allow-origin')], [true, '*'])
})

test('every API treats repeated slashes in a path as one slash, but not those in the query', async () => {
  for (const path of ['//rest/v1/boats?select=name', '/rest//v1///boats?select=name']) assert.deepEqual(await (await call(path)).json(), [{ name: 'Seonaid' }])
  assert.equal((await call('//auth//v1/health')).status, 200)
  for (const [slashes, path] of [['//auth/v1//admin/users', '/auth/v1/admin/users'], ['/auth//v1/user', '/auth/v1/user']]) assert.equal((await call(slashes)).status, (await call(path)).status)
  assert.equal((await call('/realtime//v1/api/ping')).status, 200)
  // The crate supabase-storage sends such paths.
  const uploaded = await call('/storage/v1/object/open//folder//a.txt', { key: cloch.serviceKey, method: 'POST', body: 'words', headers: { 'content-type': 'text/plain' } })
  assert.deepEqual([uploaded.status, (await uploaded.json()).Key], [200, 'open/folder/a.txt'])
  assert.equal(await (await call('/storage/v1/object/public/open/folder///a.txt')).text(), 'words')
  assert.deepEqual(await (await call('/rest/v1/boats?name=eq.a//b')).json(), [])
})

test('every API responds to unknown paths with JSON', async () => {
  // The functions API answers with the text of Supabase's edge runtime.
  for (const path of ['/rest/v1/nothing', '/auth/v1/nothing', '/storage/v1/nothing', '/realtime/v1/nothing', '/realtime/v1/api/nothing', '/graphql/v1/nothing']) {
    const response = await call(path)
    assert.deepEqual([path, response.status, response.headers.get('content-type')?.split(';')[0]], [path, 404, 'application/json'])
    assert.equal(typeof (await response.json()), 'object')
  }
})

test('a disabled API reports this, and the web app does not respond in its place', async () => {
  const disabled = ['auth', 'storage', 'realtime', 'edge_runtime'].map((section) => `\n[${section}]\nenabled = false\n`).join('')
  const other = await startProject({ from: null, change: (text) => text.replace('[api]\n', '[api]\nenabled = false\n') + disabled })
  try {
    for (const path of ['/rest/v1/boats', '/auth/v1/user', '/storage/v1/bucket', '/realtime/v1/websocket', '/functions/v1/hello', '/graphql/v1']) {
      const response = await fetch(other.url + path, { headers: { apikey: other.anonKey } })
      assert.deepEqual([path, response.status], [path, 404])
      assert.match((await response.json()).message, /^this API is disabled \(\[\w+\] enabled = false in config\.toml\)$/)
    }
  } finally {
    await other.remove()
  }
})
