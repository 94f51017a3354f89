/**
 * Programs that replicate the tables through DB_URL, unmodified: Zero's zero-cache, and a reader of logical replication with the role that
 * PowerSync's documentation creates. npm installs them for this run.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import pg from 'pg'

import { checkTable } from '../clients/document.mjs'
import { installPackages } from '../support/npm_packages.mjs'
import { freePort, makeProject, removePlace, sleep, start } from '../support/program.mjs'

const versions = { '@rocicorp/zero': '1.9.0', 'pg-logical-replication': '2.5.0' }
const schema = `
create table public.notes (id int primary key, body text not null, tags text[] not null default '{}');
alter table public.notes enable row level security;
insert into public.notes values (1, 'one', '{red}'), (2, 'two', '{}');
`
const results = []
let place, server, packages
before(async () => {
  packages = installPackages('sync', Object.entries(versions).map((entry) => entry.join('@')), { node: 22 })
  place = await makeProject({ from: null, files: { 'migrations/20260102000000_notes.sql': schema } })
  server = await start(place)
})
after(async () => {
  await server?.stop()
  if (place) removePlace(place)
  packages?.remove()
})

async function sql(...statements) {
  const client = new pg.Client({ connectionString: server.keys.DB_URL })
  await client.connect()
  try {
    let rows
    for (const statement of statements) ({ rows } = await client.query(statement))
    return rows
  } finally {
    await client.end()
  }
}

/** Waits until `read` returns `expected`. If it does not, the error shows the difference. */
async function until(read, expected, explain) {
  const deadline = performance.now() + 60_000
  for (;;) {
    const found = await read()
    try {
      return assert.deepEqual(found, expected)
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`${error.message}\n${explain()}`, { cause: error })
    }
    await sleep(100)
  }
}

/** Starts zero-cache as in Zero's documentation for Supabase: its three databases have the same direct connection string. */
async function startZero() {
  const [port, url, replica] = [await freePort(), server.keys.DB_URL, join(packages.folder, 'replica.db')]
  const environment = {
    ...packages.environment,
    ZERO_UPSTREAM_DB: url,
    ZERO_REPLICA_FILE: replica,
    ZERO_PORT: String(port),
    ZERO_CHANGE_STREAMER_PORT: String(await freePort()),
    ZERO_NUM_SYNC_WORKERS: '1',
    ZERO_ADMIN_PASSWORD: 'an admin password',
    ZERO_ENABLE_TELEMETRY: 'false',
  }
  const file = join(packages.folder, 'zero.log')
  const log = openSync(file, 'a')
  // zero-cache starts several processes, so it runs in a separate process group.
  const child = spawn(packages.node, [packages.program('@rocicorp/zero/out/zero/src/cli.js')], { cwd: packages.folder, env: environment, stdio: ['ignore', log, log] })
  closeSync(log)
  const ended = new Promise((done) => child.once('exit', done))
  const query = 'const D = require("@rocicorp/zero-sqlite3"); console.log(JSON.stringify(new D(process.argv[1], { readonly: true }).prepare(process.argv[2]).all()))'
  /** Returns rows of zero-cache's SQLite replica, or SQLite's error. */
  const rows = (statement) => {
    const { status, stdout, stderr } = spawnSync(packages.node, ['-e', query, replica, statement], { cwd: packages.folder, env: environment, encoding: 'utf8' })
    return status === 0 ? JSON.parse(stdout) : stderr.match(/SqliteError: .*/)?.[0] ?? stderr
  }
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await ended
  }
  const output = () => readFileSync(file, 'utf8').slice(-8000)
  /** Waits until all processes of zero-cache have started. A process that cannot reach PostgreSQL when it starts ends zero-cache. */
  const ready = () => until(() => fetch(`http://127.0.0.1:${port}/`).then(({ status }) => status, () => 'closed'), 200, output)
  return { rows, stop, output, ready }
}

test('zero-cache replicates tables, changes and schema changes, also after a restart with a migration', async () => {
  const zero = await startZero()
  const replica = (statement, expected) => until(() => zero.rows(statement), expected, zero.output)
  try {
    await replica('select id, body, tags from notes order by id', [{ id: 1, body: 'one', tags: '["red"]' }, { id: 2, body: 'two', tags: '[]' }])
    await sql("insert into notes values (3, 'three')", "update notes set body = 'ONE' where id = 1", 'delete from notes where id = 2')
    await replica('select id, body from notes order by id', [{ id: 1, body: 'ONE' }, { id: 3, body: 'three' }])

    await sql("alter table notes add column extra text default 'new'", 'create table public.later (id int primary key, word text)', "insert into later values (1, 'late')")
    await replica('select id, extra from notes order by id', [{ id: 1, extra: 'new' }, { id: 3, extra: 'new' }])
    await sql('alter table later rename column word to text')
    await replica('select id, text from later', [{ id: 1, text: 'late' }])

    // Role postgres owns the event triggers of zero-cache and its schemas. The API does not expose anything of zero-cache.
    assert.deepEqual(await sql("select distinct evtowner::regrole::text as owner, evtenabled from pg_event_trigger where evtname like 'zero%'"), [{ owner: 'postgres', evtenabled: 'O' }])
    const { status } = await fetch(`${server.url}/rest/v1/clients?select=*`, { headers: { apikey: server.serviceKey, 'accept-profile': 'zero_0' } })
    assert.equal(status, 406)

    await zero.ready()
    await server.stop()
    writeFileSync(join(place.project, 'migrations/20260103000000_more.sql'), "alter table public.notes add column more int default 7; insert into public.notes values (4, 'four');")
    server = await start(place)
    await replica('select id, body, more from notes order by id', [{ id: 1, body: 'ONE', more: 7 }, { id: 3, body: 'three', more: 7 }, { id: 4, body: 'four', more: 7 }])

    // None of these events has caused a full copy.
    assert.doesNotMatch(zero.output(), /full resync|AutoResetSignal/i)
  } finally {
    await zero.stop()
  }
  results.push([`\`@rocicorp/zero\` ${versions['@rocicorp/zero']}`, 'zero-cache: copies the tables, follows changes of rows and of the schema (event triggers), continues after a restart with a migration'])
})

test('pgoutput in the role of PowerSync: only tables of the publication, no secrets', async () => {
  await sql(
    "create role powersync_role with replication bypassrls login password 'myhighlyrandompassword'",
    'grant select on all tables in schema public to powersync_role',
    'alter default privileges in schema public grant select on tables to powersync_role',
    'create publication powersync for all tables',
    "select pg_create_logical_replication_slot('powersync_1', 'pgoutput')",
  )
  const { LogicalReplicationService, PgoutputPlugin } = createRequire(join(packages.folder, 'package.json'))('pg-logical-replication')
  const url = new URL(server.keys.DB_URL)
  Object.assign(url, { username: 'powersync_role', password: 'myhighlyrandompassword' })
  const service = new LogicalReplicationService({ connectionString: url.href }, { acknowledge: { auto: true, timeoutSeconds: 1 } })
  const changes = []
  service.on('data', (_, message) => {
    if (['insert', 'update', 'delete'].includes(message.tag)) changes.push([message.tag, `${message.relation.schema}.${message.relation.name}`, (message.new ?? message.key).id])
  })
  service.on('error', (error) => changes.push(error.message))
  void service.subscribe(new PgoutputPlugin({ protoVersion: 1, publicationNames: ['powersync'] }), 'powersync_1').catch((error) => changes.push(error.message))
  try {
    await sql("insert into notes values (9, 'nine')", "select vault.create_secret('hush', 'a secret')", 'create table public.newest (id int primary key)', 'insert into newest values (5)', 'delete from notes where id = 9')
    const expected = [['insert', 'public.notes', 9], ['insert', 'public.newest', 5], ['delete', 'public.notes', 9]]
    await until(() => changes.filter((change) => typeof change === 'string' || change[1].startsWith('public.')), expected, () => JSON.stringify(changes))
    assert.deepEqual(changes.filter((change) => /^(vault|cloch|pgsodium|net)\./.test(change[1])), [])
  } finally {
    await service.stop()
  }
  results.push([`\`pg-logical-replication\` ${versions['pg-logical-replication']}`, 'pgoutput with the role and the publication of PowerSync\'s documentation; schemas with secrets are not published'])
})

test('docs/clients.md contains the results of the programs', () => {
  checkTable('sync-engines', ['package', 'what works'], results)
})
