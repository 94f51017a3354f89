/** The Model Context Protocol at /mcp with the official TypeScript client. Also Supabase's own MCP server, which uses the Management API. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { deno } from '../support/deno.mjs'
import { startProject } from '../support/program.mjs'

const files = {
  'migrations/20260101000000_things.sql':
    'create table public.things (id int primary key, owner uuid references auth.users);' +
    'alter table public.things enable row level security;' +
    'create policy own on public.things for select to authenticated using (owner = auth.uid());' +
    "comment on table public.things is 'What people own';" +
    'insert into public.things values (1);',
  'functions/local/index.ts': 'Deno.serve(() => new Response("of the folder"));',
}
const readTools = [
  'execute_sql', 'generate_typescript_types', 'get_advisors', 'get_edge_function', 'get_logs', 'get_project_url', 'get_publishable_keys',
  'get_storage_config', 'list_edge_functions', 'list_extensions', 'list_migrations', 'list_storage_buckets', 'list_tables',
]
const writeTools = ['apply_migration', 'deploy_edge_function']

/** `reading`: a project whose sessions are read-only. `writing`: a project whose sessions may write. */
let reading
let writing
const clients = []

before(async () => {
  const environment = { CLOCH_DENO: deno }
  reading = await startProject({ from: null, environment, files })
  writing = await startProject({
    from: null,
    environment,
    files: { ...files, 'cloch.toml': '[management]\nmcp_writes = true\n' },
    change: (config) => config.replace('project_id = "test"', 'project_id = "other"'),
  })
})
after(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await Promise.all([reading?.remove(), writing?.remove()])
})

const connect = async (transport) => {
  const client = new Client({ name: 'cloch-tests', version: '1' })
  await client.connect(transport)
  clients.push(client)
  return client
}
const session = (cloch, { token = cloch.keys.SUPABASE_ACCESS_TOKEN, query = '' } = {}) =>
  connect(new StreamableHTTPClientTransport(new URL(`${cloch.url}/mcp${query}`), { requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} } }))
const call = async (client, name, args = {}) => {
  const result = await client.callTool({ name, arguments: args })
  const text = result.content.map((part) => part.text).join('\n')
  return { refused: result.isError === true, text, json: result.structuredContent }
}
/** Expects that a tool call succeeds. Returns its result. */
const done = async (client, name, args) => {
  const answer = await call(client, name, args)
  assert.ok(!answer.refused, `${name}: ${answer.text}`)
  return answer
}
/** Reads the audit log with the Management API. */
const audit = async (cloch) => {
  const response = await fetch(`${cloch.url}/v1/projects/${cloch.keys.PROJECT_REF}/database/query`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: "select path, status, client from cloch.management_audit where path like '/mcp%' order by id" }),
  })
  return response.json()
}
const post = (cloch, headers, query = '') =>
  new Promise((answered, failed) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const all = { Authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    const request = httpRequest(`${cloch.url}/mcp${query}`, { method: 'POST', headers: all }, (response) => answered(response.resume().statusCode))
    request.on('error', failed).end(body)
  })

test('a session without the access token of this project is refused', async () => {
  const others = [null, 'x', `sbp_${'0'.repeat(40)}`, reading.anonKey, reading.serviceKey, writing.keys.SUPABASE_ACCESS_TOKEN]
  for (const token of others) await assert.rejects(session(reading, { token }), /401|Unauthorized/, String(token))
  await assert.rejects(session(reading, { query: `?project_ref=${writing.keys.PROJECT_REF}` }), /403|this project|access token/i)
  assert.ok(await session(reading, { query: `?project_ref=${reading.keys.PROJECT_REF}` }))
})

test('requests from another machine, through a proxy or from a page of another origin are refused', async () => {
  for (const headers of [{ Host: 'club.example' }, { 'X-Forwarded-For': '192.0.2.7' }, { Via: '1.1 proxy' }])
    assert.equal(await post(writing, headers), 404, JSON.stringify(headers))
  for (const Origin of ['https://evil.example', 'http://localhost.evil.example', 'null']) assert.equal(await post(writing, { Origin }), 403, Origin)
  assert.equal(await post(writing, {}), 200)
  assert.equal(await post(writing, { Origin: 'http://localhost:6274' }), 200)
})

test('a read-only session cannot write, in any way', async () => {
  const asked = { query: 'create table public.made (id int)' }
  for (const client of [await session(reading), await session(writing, { query: '?read_only=true' })]) {
    const { tools } = await client.listTools()
    assert.deepEqual(tools.map(({ name }) => name), readTools)
    for (const query of [asked.query, 'insert into public.things values (2)', 'commit; drop table public.things', 'reset role; drop table public.things', "select set_config('transaction_read_only', 'off', false)"]) {
      const answer = await call(client, 'execute_sql', { query })
      assert.ok(answer.refused, query)
    }
    const migration = await call(client, 'apply_migration', { name: 'made', ...asked })
    assert.ok(migration.refused && /only reads/.test(migration.text), migration.text)
    const deploy = await call(client, 'deploy_edge_function', { name: 'made', files: [{ name: 'index.ts', content: 'Deno.serve(() => new Response());' }] })
    assert.ok(deploy.refused && /only reads/.test(deploy.text), deploy.text)
    const left = await done(client, 'execute_sql', { query: "select to_regclass('public.made') as made, array_agg(id) as ids from public.things" })
    assert.match(left.text, /\[\{"made":null,"ids":\[1\]\}\]/)
    assert.deepEqual((await done(client, 'list_edge_functions')).json.functions.map(({ slug }) => slug), ['local'])
  }
})

test('a read-only session cannot read secrets', async () => {
  for (const client of [await session(reading), await session(writing, { query: '?read_only=true' })]) {
    assert.match((await done(client, 'execute_sql', { query: 'select id from public.things' })).text, /\[\{"id":1\}\]/)
    assert.match((await done(client, 'execute_sql', { query: 'select count(email) from auth.users' })).text, /\[\{"count":0\}\]/)
    for (const query of ['select * from cloch.mail_outbox', 'select * from cloch.operators', 'select * from vault.decrypted_secrets', 'select token from auth.refresh_tokens', 'select recovery_token from auth.users']) {
      const answer = await call(client, 'execute_sql', { query })
      assert.ok(answer.refused && /permission denied/.test(answer.text) && /reads no secrets/.test(answer.text), `${query}: ${answer.text}`)
    }
  }
})

test('every read-only tool responds', async () => {
  const client = await session(reading)
  const { tables } = (await done(client, 'list_tables', { verbose: true })).json
  assert.deepEqual(tables.map(({ name, rls_enabled, comment }) => [name, rls_enabled, comment]), [['public.things', true, 'What people own']])
  assert.deepEqual(tables[0].columns.map(({ name, type }) => [name, type]), [['id', 'integer'], ['owner', 'uuid']])
  assert.equal(tables[0].policies[0].using, '(owner = auth.uid())')
  assert.match(JSON.stringify(tables[0].constraints), /REFERENCES auth\.users\(id\)/)
  assert.equal((await done(client, 'list_tables')).json.tables[0].columns, undefined)
  assert.deepEqual((await done(client, 'list_tables', { schemas: ["public'; drop table public.things"] })).json.tables, [])
  assert.ok((await done(client, 'list_extensions')).json.extensions.some(({ name, installed_version }) => name === 'plpgsql' && installed_version))
  assert.deepEqual((await done(client, 'list_migrations')).json.migrations.map(({ name }) => name), ['things'])
  assert.equal((await done(client, 'get_project_url')).json.url, reading.url)
  const keys = await done(client, 'get_publishable_keys')
  assert.deepEqual(keys.json.keys.map(({ api_key }) => api_key), [reading.keys.PUBLISHABLE_KEY, reading.anonKey])
  assert.ok(!keys.text.includes(reading.serviceKey) && !keys.text.includes(reading.keys.SECRET_KEY))
  assert.match((await done(client, 'generate_typescript_types')).json.types, /things: \{/)
  assert.match((await done(client, 'get_edge_function', { function_slug: 'local' })).text, /of the folder/)
  assert.ok((await call(client, 'get_edge_function', { function_slug: '../local' })).refused)
  assert.deepEqual((await done(client, 'list_storage_buckets')).json.buckets, [])
  assert.equal(typeof (await done(client, 'get_storage_config')).json.fileSizeLimit, 'number')
  assert.deepEqual((await done(client, 'get_advisors', { type: 'security' })).json.lints, [])
  const advice = (await done(client, 'get_advisors', { type: 'performance' })).json.lints
  assert.deepEqual(advice.map(({ name, metadata }) => `${name} ${metadata.name}`), ['auth_rls_initplan things', 'unindexed_foreign_keys things'])
  assert.match((await call(client, 'execute_sql', { query: 'select * from nowhere' })).text, /relation "nowhere" does not exist/)
  await assert.rejects(client.callTool({ name: 'nowhere', arguments: {} }), /no such tool/)
  assert.ok((await call(client, 'execute_sql', { sql: 'select 1' })).refused, 'a missing argument')
})

test('a session with write access migrates, runs SQL as the owner and deploys, and each call is recorded', async () => {
  const client = await session(writing)
  const { tools } = await client.listTools()
  assert.deepEqual(tools.map(({ name }) => name), [...readTools, ...writeTools].sort())
  assert.ok((await call(client, 'apply_migration', { name: 'half', query: 'create table public.half (id int); select * from nowhere' })).refused)
  await done(client, 'apply_migration', { name: 'notes', query: 'create table public.notes (id int)' })
  assert.deepEqual((await done(client, 'list_migrations')).json.migrations.map(({ name }) => name), ['things', 'notes'])
  await done(client, 'execute_sql', { query: 'insert into public.notes values (5)' })
  assert.match((await done(client, 'execute_sql', { query: "select id, to_regclass('public.half') as half from public.notes" })).text, /\[\{"id":5,"half":null\}\]/)
  assert.ok((await call(client, 'execute_sql', { query: "copy (select 1) to program 'true'" })).refused)
  const outside = await call(client, 'deploy_edge_function', { name: 'said', files: [{ name: '../index.ts', content: '' }] })
  assert.ok(outside.refused)
  const code = 'Deno.serve(() => { console.log("a word of the function"); return new Response("deployed") });'
  assert.equal((await done(client, 'deploy_edge_function', { name: 'said', files: [{ name: 'index.ts', content: code }] })).json.verify_jwt, true)
  const answer = await fetch(`${writing.url}/functions/v1/said`, { headers: { Authorization: `Bearer ${writing.anonKey}` } })
  assert.equal(await answer.text(), 'deployed')
  for (;;) {
    const logs = await done(client, 'get_logs', { function_slug: 'said' })
    if (/a word of the function/.test(logs.text)) break
    await new Promise((next) => setTimeout(next, 50))
  }
  assert.ok(!/a word of the function/.test((await done(client, 'get_logs', { function_slug: 'local' })).text))
  await done(client, 'get_edge_function', { function_slug: 'said' })
  for (const name of ['get_publishable_keys', 'get_project_url', 'get_storage_config', 'list_edge_functions']) await done(client, name)
  const entries = (await audit(writing)).map(({ path, status, client }) => `${path} ${status} ${client}`)
  for (const entry of ['/mcp/apply_migration 400', '/mcp/apply_migration 200', '/mcp/execute_sql 200', '/mcp/deploy_edge_function 200', '/mcp/get_logs 200', '/mcp/get_edge_function 200', '/mcp/get_publishable_keys 200'])
    assert.ok(entries.includes(`${entry} 127.0.0.1`), `${entry}\n${entries.join('\n')}`)
  // As for /v1, the audit log contains reads of keys, code and logs. It does not contain reads that clients repeat often.
  assert.ok(!entries.some((entry) => /list_|generate_|get_(advisors|project_url|storage_config)/.test(entry)), entries.join('\n'))
})

/** Endpoints that Supabase's server calls and Cloch does not have, with the expected messages. */
const notThere = { list_branches: /no such endpoint|branch/i, update_storage_config: /config\.toml/ }

test('Supabase’s own MCP server uses the project through the Management API, with all of its tools', async () => {
  const server = join(import.meta.dirname, '../node_modules/@supabase/mcp-server-supabase/dist/cli.js')
  const connectStdio = (cloch, ...more) =>
    connect(new StdioClientTransport({
      command: process.execPath,
      args: [server, '--access-token', cloch.keys.SUPABASE_ACCESS_TOKEN, '--api-url', cloch.url, '--project-ref', cloch.keys.PROJECT_REF, '--features', 'database,debugging,development,functions,branching,storage', ...more],
    }))
  const readOnly = await connectStdio(writing, '--read-only')
  assert.ok((await call(readOnly, 'execute_sql', { query: 'create table public.escaped (id int)' })).refused)
  assert.ok((await call(readOnly, 'apply_migration', { name: 'escaped', query: 'create table public.escaped (id int)' })).refused)

  const client = await connectStdio(writing)
  const code = 'Deno.serve(() => new Response("of the other server"));'
  const args = {
    list_tables: { schemas: ['public'], verbose: true },
    apply_migration: { name: 'more', query: 'create table public.more (id int)' },
    execute_sql: { query: "select to_regclass('public.more')::text as more, to_regclass('public.escaped') as escaped" },
    query_logs: { sql: "select * from logs where source = 'function_logs' limit 5" },
    get_logs: { service: 'edge-function-runtime' },
    get_advisors: { type: 'security' },
    get_edge_function: { function_slug: 'other' },
    deploy_edge_function: { name: 'other', entrypoint_path: 'index.ts', files: [{ name: 'index.ts', content: code }] },
    create_branch: { name: 'x', confirm_cost_id: 'x' },
    update_storage_config: { config: { fileSizeLimit: 1, features: { imageTransformation: { enabled: true }, s3Protocol: { enabled: true } } } },
  }
  const expected = {
    list_tables: /public\.things/, list_extensions: /plpgsql/, list_migrations: /things/, apply_migration: /success/, execute_sql: /more/,
    query_logs: /untrusted|result/, get_project_url: new RegExp(writing.keys.PROJECT_REF), get_publishable_keys: /sb_publishable_/,
    generate_typescript_types: /things: \{/, list_edge_functions: /local/, deploy_edge_function: /"slug":"other"/, get_edge_function: /of the other server/,
    get_advisors: /rls_disabled_in_public/, list_storage_buckets: /buckets|\[\]/, get_storage_config: /fileSizeLimit/,
  }
  const { tools } = await client.listTools()
  const answers = {}
  // The tools are called in the order of a session: a function is deployed before it is read.
  const order = tools.map(({ name }) => name).sort((a, b) => (a === 'deploy_edge_function' ? -1 : b === 'deploy_edge_function' ? 1 : 0))
  for (const name of order) answers[name] = await call(client, name, args[name] ?? (/_branch$/.test(name) ? { branch_id: '00000000-0000-0000-0000-000000000000' } : {}))
  for (const [name, answer] of Object.entries(answers)) {
    if (/branch/.test(name) || notThere[name]) {
      assert.ok(answer.refused, `${name} is there now: ${answer.text}`)
      assert.match(answer.text, notThere[name] ?? /./, name)
    } else {
      assert.ok(!answer.refused, `${name}: ${answer.text}`)
      assert.match(answer.text, expected[name] ?? assert.fail(`nothing is expected of the new tool ${name}`), name)
    }
  }
})
