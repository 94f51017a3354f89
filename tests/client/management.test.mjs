/** The Management API at /v1, used like its clients do: refusals, limits of read-only SQL, and deployments of functions. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { deno } from '../support/deno.mjs'
import { startProject } from '../support/program.mjs'

let cloch
let base

before(async () => {
  cloch = await startProject({
    from: null,
    environment: { CLOCH_DENO: deno },
    files: {
      'migrations/20260101000000_things.sql':
        'create table public.things (id int primary key, tags text[]); insert into public.things values (1, array[\'a\']);' +
        'create function public.add_thing() returns void language sql security definer as $$ insert into public.things values (99) $$;',
      'functions/local/index.ts': 'Deno.serve(() => new Response("of the folder"));',
    },
  })
  base = `${cloch.url}/v1/projects/${cloch.keys.PROJECT_REF}`
})
after(() => cloch?.remove())

const authorized = (headers = {}) => ({ Authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}`, ...headers })
const call = async (path, { method = 'GET', body, headers } = {}) => {
  const response = await fetch(path.startsWith('http') ? path : base + path, {
    method,
    headers: authorized({ ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }), ...headers }),
    body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined, response }
}
const sql = (query, options = {}) => call('/database/query', { method: 'POST', body: { query, ...options } })
const deploy = (slug, files, metadata, query = '') => {
  const form = new FormData()
  for (const [name, code] of Object.entries(files)) form.append('file', new Blob([code]), name)
  form.append('metadata', JSON.stringify({ name: slug, entrypoint_path: 'index.ts', ...metadata }))
  return call(`/functions/deploy?slug=${slug}${query}`, { method: 'POST', body: form })
}
const invoke = (slug, key = cloch.anonKey) =>
  fetch(`${cloch.url}/functions/v1/${slug}`, { headers: key ? { Authorization: `Bearer ${key}` } : {} })

test('a request without the access token is refused', async () => {
  const other = `sbp_${'0123456789'.repeat(4)}`
  for (const token of [undefined, '', 'x', other, cloch.anonKey, cloch.serviceKey, cloch.keys.SECRET_KEY, `${cloch.keys.SUPABASE_ACCESS_TOKEN}0`]) {
    for (const path of ['', '/api-keys?reveal=true', '/secrets', '/database/query', '/nowhere']) {
      const response = await fetch(base + path, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } })
      assert.equal(response.status, 401, `${token} ${path}`)
      assert.deepEqual(await response.json(), { message: 'Unauthorized' })
    }
  }
  assert.equal((await fetch(`${cloch.url}/v1/projects`, { headers: { apikey: cloch.serviceKey } })).status, 401)
})

test('the token is valid for its own project only', async () => {
  for (const path of ['', '/secrets', '/api-keys?reveal=true', '/functions']) {
    const answer = await call(`${cloch.url}/v1/projects/abcdefghijklmnopqrst${path}`)
    assert.equal(answer.status, 403)
    assert.match(answer.json.message, new RegExp(cloch.keys.PROJECT_REF))
  }
})

test('requests from another machine or through a proxy get the response for an unknown path', async () => {
  for (const headers of [{ Host: 'club.example' }, { 'X-Forwarded-For': '192.0.2.7' }, { Forwarded: 'for=192.0.2.7' }, { Via: '1.1 proxy' }]) {
    const status = await new Promise((done, failed) => {
      const request = httpRequest(`${base}/secrets`, { headers: { ...authorized(), ...headers } }, (response) => done(response.resume().statusCode))
      request.on('error', failed).end()
    })
    assert.equal(status, 404, JSON.stringify(headers))
  }
})

test('PostgreSQL refuses writes of read-only SQL, whatever way they take', async () => {
  const attempts = [
    'insert into public.things values (2)',
    'delete from public.things',
    'create table public.escaped (id int)',
    'create temporary table escaped (id int)',
    'select public.add_thing()',
    "select nextval('supabase_functions.hooks_id_seq')",
    'set transaction read write; insert into public.things values (2)',
    'commit; insert into public.things values (2)',
    'commit; begin read write; insert into public.things values (2); commit',
    'rollback; reset role; reset session authorization; insert into public.things values (2)',
    'set transaction read write',
    "select set_config('transaction_read_only', 'off', true), public.add_thing()",
    "do $$ begin perform set_config('transaction_read_only', 'off', false); perform public.add_thing(); end $$",
    "do $$ begin set transaction read write; insert into public.things values (2); end $$",
    "do $$ begin commit; insert into public.things values (2); end $$",
    "do $$ begin commit and chain; perform public.add_thing(); end $$",
    "do $$ begin rollback; perform public.add_thing(); end $$",
    "do $$ begin execute 'reset session authorization'; execute 'reset role'; insert into public.things values (2); end $$",
    "do $$ begin perform set_config('role', 'postgres', false); insert into public.things values (2); end $$",
    'set role postgres',
    'set role supabase_admin',
    'set session authorization supabase_admin',
    "alter role supabase_read_only_user set default_transaction_read_only = off",
    'alter role supabase_read_only_user superuser',
    "copy (select 1) to program 'touch /tmp/escaped'",
    "copy (select 1) to '/tmp/escaped'",
    "select pg_read_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
  ]
  for (const query of attempts) {
    for (const [path, body] of [['/database/query', { query, read_only: true }], ['/database/query/read-only', { query }]]) {
      const answer = await call(path, { method: 'POST', body })
      assert.equal(answer.status, 400, `${query}: ${answer.text}`)
      assert.match(answer.json.message, /^Failed to run sql query: ERROR:  [0-9A-Z]{5}: /, query)
    }
  }
  // Before version 16, PostgreSQL allows a read-only transaction to write large objects.
  const objects = async () => (await sql('select count(*)::int from pg_largeobject_metadata')).json[0].count
  const before = await objects()
  for (const [path, more] of [['/database/query', { read_only: true }], ['/database/query/read-only', {}]])
    await call(path, { method: 'POST', body: { query: "select lo_from_bytea(0, 'left behind')", ...more } })
  assert.equal(await objects(), before)
  // A statement that ends the transaction may only be the last one.
  for (const query of ['commit', 'rollback', 'reset role', 'reset session authorization']) await sql(query, { read_only: true })
  const left = await sql('select (select array_agg(id order by id) from public.things) as ids, to_regclass(\'public.escaped\') as escaped')
  assert.deepEqual(left.json, [{ ids: [1], escaped: null }])
  assert.ok(!existsSync('/tmp/escaped'))
  const role = await sql('select session_user::text as session, current_user::text as role, (select rolsuper from pg_roles where rolname = session_user) as super', { read_only: true })
  assert.deepEqual(role.json, [{ session: 'supabase_read_only_user', role: 'supabase_read_only_user', super: false }])
})

test('read-only SQL reads the project past row security, and no secrets', async () => {
  await sql("create schema drawer; create table drawer.letters (id int); alter table drawer.letters enable row level security; insert into drawer.letters values (7)")
  for (const [query, rows] of [
    ['select * from drawer.letters', [{ id: 7 }]],
    ['select id, email, last_sign_in_at from auth.users', []],
    ['select count(*)::int from auth.refresh_tokens where revoked', [{ count: 0 }]],
    ['select name from storage.objects', []],
  ]) {
    for (const [path, body] of [['/database/query', { query, read_only: true }], ['/database/query/read-only', { query }]]) {
      const answer = await call(path, { method: 'POST', body })
      assert.deepEqual([answer.status, answer.json], [201, rows], query)
    }
  }
  for (const query of [
    'select * from cloch.mail_outbox',
    'select password from cloch.operators',
    'select * from cloch.operator_sessions',
    'select * from cloch.management_audit',
    'select * from cloch.vault_key',
    'select * from vault.decrypted_secrets',
    'select * from auth.users',
    'select encrypted_password from auth.users',
    'select token from auth.refresh_tokens',
    'select secret from auth.mfa_factors',
    'select token_hash from auth.one_time_tokens',
    "select query_to_xml('select token from auth.refresh_tokens', true, true, '')",
    'set role pg_read_all_data',
    'set role postgres',
    "do $$ begin perform from cloch.operators; end $$",
  ]) {
    for (const [path, body] of [['/database/query', { query, read_only: true }], ['/database/query/read-only', { query }]]) {
      const answer = await call(path, { method: 'POST', body })
      assert.equal(answer.status, 400, `${query}: ${answer.text}`)
      assert.match(answer.json.message, /ERROR:  42501: permission denied[^]*\nHINT:  Read-only SQL reads no secrets/, query)
    }
  }
})

test('SQL runs as the owner, who is not a superuser, with values and scripts', async () => {
  assert.equal((await sql("copy (select 1) to program 'true'")).status, 400)
  assert.equal((await sql('reset role; reset session authorization; alter role postgres superuser')).status, 400)
  const bad = await sql('select * from nowhere')
  assert.deepEqual(bad.json, { message: 'Failed to run sql query: ERROR:  42P01: relation "nowhere" does not exist' })
  assert.equal((await sql('')).status, 400)
  assert.match((await sql("select repeat('x', 1000000) from generate_series(1, 30)")).json.message, /more than 10 MB/)
  const script = await sql('create table public.made (id int); insert into public.made values (7); select id, true as yes, null as nothing from public.made')
  assert.deepEqual([script.status, script.json], [201, [{ id: 7, yes: true, nothing: null }]])
  const values = await sql('select $1::int + 1 as n, $2::text as t, $3::jsonb as j', { parameters: [41, "it's", { a: 1 }] })
  assert.deepEqual(values.json, [{ n: 42, t: "it's", j: { a: 1 } }])
  const owner = await sql("select tableowner::text as owner, tags from pg_tables, public.things where tablename = 'made'", { read_only: true })
  assert.deepEqual(owner.json, [{ owner: 'postgres', tags: ['a'] }])
})

test('a migration is applied with its entry in the history, or not at all', async () => {
  const failed = await call('/database/migrations', { method: 'POST', body: { name: 'bad', query: 'create table public.half (id int); select * from nowhere' } })
  assert.equal(failed.status, 400)
  assert.deepEqual((await sql("select to_regclass('public.half') as half")).json, [{ half: null }])
  assert.equal((await call('/database/migrations', { method: 'POST', body: { name: 'good', query: 'create table public.whole (id int)' } })).status, 200)
  // A migration and its history entry are in the same transaction. If the migration contains a statement that would end this transaction, the server
  // refuses it before it runs any statement.
  for (const query of ['create table public.half (id int); commit; select 1', 'create table public.half (id int); rollback', ' -- nothing']) {
    const answer = await call('/database/migrations', { method: 'POST', body: { name: 'ends', query } })
    assert.equal(answer.status, 400, `${query}: ${answer.text}`)
  }
  assert.deepEqual((await sql("select to_regclass('public.half') as half")).json, [{ half: null }])
  const several = await Promise.all(['one', 'two'].map((name) => call('/database/migrations', { method: 'POST', body: { name, query: `begin; create table public.${name} (id int); commit` } })))
  assert.deepEqual(several.map(({ status }) => status), [200, 200])
  const listed = (await call('/database/migrations')).json
  assert.deepEqual(listed.map(({ name }) => name).slice(0, 2), ['things', 'good'])
  assert.deepEqual(listed.map(({ name }) => name).slice(2).sort(), ['one', 'two'])
  assert.equal(new Set(listed.map(({ version }) => version)).size, 4)
  const recorded = (await sql("select cardinality(statements) as statements from supabase_migrations.schema_migrations where name = 'one'")).json
  assert.deepEqual(recorded, [{ statements: 3 }])
  const types = (await call('/types/typescript?included_schemas=public')).json.types
  assert.match(types, /whole: \{/)
})

test('a deploy that leads outside, is too large or cannot run changes nothing', async () => {
  const code = 'Deno.serve(() => new Response("x"));'
  for (const path of ['../index.ts', 'a/../../index.ts', '/etc/cron.d/index.ts', '..\\index.ts', 'a/./../../../index.ts']) {
    const answer = await deploy('outside', { [path]: code }, { entrypoint_path: path })
    assert.equal(answer.status, 400, `${path}: ${answer.text}`)
    const beside = await deploy('outside', { 'index.ts': code, [path]: code }, {})
    assert.equal(beside.status, 400, path)
  }
  for (const [slug, metadata] of [['..%2Fx', {}], ['a%2Fb', {}], ['8', {}], ['outside', { entrypoint_path: '../index.ts' }], ['outside', { entrypoint_path: 'other.ts' }], ['outside', { import_map_path: '../deno.json' }]])
    assert.equal((await deploy(slug, { 'index.ts': code }, metadata)).status, 400, slug)
  assert.equal((await deploy('outside', { 'index.ts': new Uint8Array(21 << 20) }, {})).status, 413)
  const broken = await deploy('outside', { 'index.ts': 'import "./nowhere.ts";' }, {})
  assert.equal(broken.status, 400)
  assert.match(broken.json.message, /nowhere\.ts/)
  assert.equal((await call('/functions/outside')).status, 404)
  const versions = join(cloch.data, 'functions/versions')
  assert.deepEqual(readdirSync(versions).flatMap((name) => readdirSync(join(versions, name))), [])
})

test('a deploy that imports files of the server is told nothing of them', async () => {
  const secret = /^jwt_secret = "(.*)"$/m.exec(readFileSync(join(cloch.data, 'secrets.toml'), 'utf8'))[1]
  const up = '../'.repeat(6)
  const file = join(cloch.data, 'secrets.toml')
  const attempts = [
    { 'index.ts': `import "${up}secrets.toml";` },
    { 'index.ts': `import "file://${file}";` },
    { 'index.ts': `import x from "file://${file}" with { type: "json" };` },
    { 'index.ts': `import "./a.ts";`, 'a.ts': `export * from "file://${file}";` },
    { 'index.ts': `import "file:///etc/passwd";` },
    { 'index.ts': 'import "x";', 'deno.json': JSON.stringify({ imports: { x: `file://${file}` } }) },
    { 'index.ts': 'import "x";', 'deno.json': JSON.stringify({ importMap: file }) },
    { 'index.ts': `/// <reference types="file://${file}" />\nDeno.serve(() => new Response("x"));` },
  ]
  for (const files of attempts) {
    const answer = await deploy('reader', files, {})
    assert.equal(answer.status, 400, `${Object.values(files)}: ${answer.text}`)
    assert.match(answer.json.message, /not among its files/, answer.text)
    assert.ok(!answer.text.includes(secret) && !answer.text.includes('root:x') && !answer.text.includes('_secret ='), answer.text)
  }
  assert.equal((await call('/functions/reader')).status, 404)
})

test('variables that would tell Deno or a loader what to do are refused', async () => {
  for (const name of ['LD_PRELOAD', 'ld_preload', 'DENO_PERMISSION_BROKER_PATH', 'NODE_OPTIONS', 'SUPABASE_URL', 'CLOCH_WORKER']) {
    const answer = await call('/secrets', { method: 'POST', body: [{ name, value: '/x.so' }] })
    assert.equal(answer.status, 400, name)
  }
  const code = 'Deno.serve(() => Response.json(Deno.env.toObject()));'
  const variables = 'LD_PRELOAD=/x.so\nDENO_PERMISSION_BROKER_PATH=/x\nNODE_OPTIONS=--inspect\nSUPABASE_URL=http://x\nOWN=1\nDENO_ENV=production\n'
  assert.equal((await deploy('variables', { 'index.ts': code, '.env': variables }, {})).status, 201)
  const seen = await (await invoke('variables')).json()
  assert.deepEqual([seen.OWN, seen.DENO_ENV], ['1', 'production'])
  assert.ok(!['LD_PRELOAD', 'DENO_PERMISSION_BROKER_PATH', 'NODE_OPTIONS'].some((name) => name in seen) && seen.SUPABASE_URL !== 'http://x')
  assert.equal((await call('/functions/variables', { method: 'DELETE' })).status, 200)
})

test('an archive of a gigabyte is refused before it is read', async () => {
  const size = 1 << 30
  const announced = await new Promise((done, failed) => {
    const headers = authorized({ 'content-type': 'multipart/form-data; boundary=b', 'content-length': size })
    const request = httpRequest(`${base}/functions/deploy?slug=big`, { method: 'POST', headers }, (response) => {
      done(response.statusCode)
      request.destroy()
    })
    request.on('error', failed)
    request.flushHeaders()
  })
  assert.equal(announced, 413)
  let sent = 0
  const streamed = await new Promise((done) => {
    const headers = authorized({ 'content-type': 'multipart/form-data; boundary=b' })
    const request = httpRequest(`${base}/functions/deploy?slug=big`, { method: 'POST', headers }, (response) => {
      done(response.statusCode)
      request.destroy()
    })
    request.on('error', () => done('cut off'))
    request.write('--b\r\nContent-Disposition: form-data; name="file"; filename="index.ts"\r\n\r\n')
    const chunk = Buffer.alloc(1 << 20)
    const more = () => {
      while (!request.destroyed && sent < size && request.write(chunk)) sent += chunk.length
      if (sent < size && !request.destroyed) request.once('drain', more)
    }
    more()
  })
  assert.ok(streamed === 413 || streamed === 'cut off', String(streamed))
  assert.ok(sent < 64 << 20, `${sent} bytes were taken`)
  assert.equal((await call('/functions/big')).status, 404)
})

test('a function is deployed, called, changed, read and deleted', async () => {
  const files = { 'supabase/functions/hi/index.ts': 'import { word } from "../_shared/word.ts"; Deno.serve(() => new Response(word));', 'supabase/functions/_shared/word.ts': 'export const word = "one";' }
  const entry = { entrypoint_path: 'supabase/functions/hi/index.ts' }
  const first = await deploy('hi', files, entry)
  assert.deepEqual([first.status, first.json.slug, first.json.version, first.json.verify_jwt], [201, 'hi', 1, true], first.text)
  assert.equal((await invoke('hi', null)).status, 401)
  assert.equal(await (await invoke('hi')).text(), 'one')
  const next = { ...files, 'supabase/functions/_shared/word.ts': 'export const word = "two";' }
  const bundled = await deploy('hi', next, { ...entry, verify_jwt: false }, '&bundleOnly=true')
  assert.equal(await (await invoke('hi')).text(), 'one', 'a bundle is not served')
  const switched = await call('/functions', { method: 'PUT', body: [{ slug: 'hi', version: bundled.json.version, name: 'hi', status: 'ACTIVE', verify_jwt: false }] })
  assert.equal(switched.status, 200, switched.text)
  assert.equal(await (await invoke('hi', null)).text(), 'two')
  assert.equal((await call('/functions/hi', { method: 'PATCH', body: { verify_jwt: true } })).json.verify_jwt, true)
  assert.equal((await invoke('hi', null)).status, 401)
  const form = await (await call('/functions/hi/body')).text
  assert.match(form, /filename="supabase\/functions\/_shared\/word\.ts"[^]*export const word = "two"/)
  assert.deepEqual((await call('/functions')).json.map(({ slug }) => slug), ['hi', 'local'])
  assert.equal((await call('/functions/local', { method: 'DELETE' })).status, 409)
  assert.equal((await call('/functions/hi', { method: 'DELETE' })).status, 200)
  assert.deepEqual([(await invoke('hi')).status, (await call('/functions/hi')).status], [404, 404])
})

test('secrets reach functions at once, and only their digests are shown', async () => {
  const code = 'Deno.serve(() => Response.json({ a: Deno.env.get("A_SECRET") ?? null, url: Deno.env.get("SUPABASE_URL") }));'
  assert.equal((await deploy('reads', { 'index.ts': code }, {})).status, 201)
  for (const name of ['SUPABASE_URL', 'CLOCH_X', 'A=B', '../A', '']) {
    const answer = await call('/secrets', { method: 'POST', body: [{ name: 'A_SECRET', value: 'not kept' }, { name, value: 'x' }] })
    assert.equal(answer.status, 400, name)
  }
  assert.equal((await (await invoke('reads')).json()).a, null)
  assert.equal((await call('/secrets', { method: 'POST', body: [{ name: 'A_SECRET', value: 'of today' }] })).status, 201)
  assert.equal((await (await invoke('reads')).json()).a, 'of today')
  const listed = await call('/secrets')
  assert.ok(!listed.text.includes('of today'))
  assert.match(listed.json.find(({ name }) => name === 'A_SECRET').value, /^[0-9a-f]{64}$/)
  assert.equal((await call('/secrets', { method: 'DELETE', body: ['A_SECRET'] })).status, 200)
  assert.equal((await (await invoke('reads')).json()).a, null)
})

test('other endpoints describe the project, and return no invented values', async () => {
  const keys = (await call('/api-keys?reveal=true')).json
  assert.deepEqual(keys.map(({ api_key }) => api_key), [cloch.anonKey, cloch.serviceKey, cloch.keys.PUBLISHABLE_KEY, cloch.keys.SECRET_KEY])
  assert.ok(!(await call('/api-keys')).text.includes(cloch.keys.SECRET_KEY))
  assert.equal((await call('')).json.status, 'ACTIVE_HEALTHY')
  assert.equal((await call('/postgrest')).json.max_rows, 1000)
  for (const part of ['auth', 'storage', 'realtime', 'database/postgres', 'database/pooler']) assert.equal((await call(`/config/${part}`)).status, 200, part)
  assert.ok((await call('/health?services=db,auth')).json.every(({ healthy }) => healthy))
  for (const path of ['/advisors/nowhere', '/database/backups', '/nowhere', '/config/nowhere']) {
    const answer = await call(path)
    assert.deepEqual([answer.status, typeof answer.json.message], [404, 'string'], path)
  }
  assert.equal((await call('/config/auth', { method: 'PATCH', body: {} })).status, 405)
})

test('the advisors return the problems of the schema and their solutions', async () => {
  await sql('create table public.unguarded (id int primary key); create table public.keyless (id int); alter table public.keyless enable row level security; create policy p on public.keyless for select using (id > 0)')
  const named = async (kind, name) => (await call(`/advisors/${kind}`)).json.lints.filter(({ metadata }) => metadata.name === name)
  const [hole, ...others] = await named('security', 'unguarded')
  assert.deepEqual(others, [])
  assert.deepEqual([hole.name, hole.level, hole.facing, hole.categories], ['rls_disabled_in_public', 'ERROR', 'EXTERNAL', ['SECURITY']])
  assert.deepEqual(hole.metadata, { schema: 'public', name: 'unguarded', type: 'table' })
  for (const key of ['title', 'description', 'detail', 'remediation', 'cache_key']) assert.ok(hole[key], key)
  await sql(hole.fix)
  assert.deepEqual((await named('security', 'unguarded')).map(({ name }) => name), ['rls_enabled_no_policy'])
  assert.deepEqual((await named('performance', 'keyless')).map(({ name }) => name), ['no_primary_key'])
  await sql('drop table public.unguarded, public.keyless')
})

test('calls are recorded without statements and values', async () => {
  await sql("select 'a word of nobody else'")
  for (const path of ['/api-keys?reveal=true', '/api-keys/legacy', '/functions/nowhere/body', '/analytics/endpoints/logs.all', '/health', '/functions']) await call(path)
  for (const query of ['delete from cloch.management_audit', 'update cloch.management_audit set path = null', 'truncate cloch.management_audit'])
    assert.equal((await sql(query)).status, 400, query)
  const audit = await sql('select * from cloch.management_audit order by id')
  const done = audit.json.map(({ method, path, status }) => `${method} ${path} ${status}`)
  for (const entry of [/^POST \/v1\/projects\/[a-z]{20}\/functions\/deploy 201$/, /^DELETE \/v1\/projects\/[a-z]{20}\/secrets 200$/, /\/functions\/deploy 413$/])
    assert.ok(done.some((line) => entry.test(line)), String(entry))
  // The audit log contains reads of keys, code and logs. It does not contain reads that clients repeat often.
  const read = done.filter((line) => line.startsWith('GET ')).map((line) => line.replace(/^GET \/v1\/projects\/[a-z]{20}/, ''))
  for (const path of ['/api-keys 200', '/api-keys/legacy 200', '/functions/nowhere/body 404']) assert.ok(read.includes(path), path)
  assert.ok(read.some((line) => line.startsWith('/analytics/endpoints/logs.all')))
  assert.ok(!read.some((line) => /^\/(health|functions) /.test(line)), String(read))
  assert.ok(audit.json.every(({ client }) => client === '127.0.0.1'))
  assert.ok(!audit.text.includes('a word of nobody else') && !audit.text.includes('of today'))
})
