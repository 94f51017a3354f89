/**
 * Programs that create their own schema in the database, unmodified: job queues, a content management system, and a GraphQL server that watches the
 * schema with event triggers. npm installs them for this run.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { checkTable } from '../clients/document.mjs'
import { query } from '../support/database.mjs'
import { installPackages } from '../support/npm_packages.mjs'
import { startProject } from '../support/program.mjs'

const versions = { 'pg-boss': '10.4.2', 'graphile-worker': '0.16.6', postgraphile: '4.14.1' }
/** Payload is installed in a separate folder, because it needs another version of graphql. */
const payloadVersions = { payload: '3.90.2', '@payloadcms/db-postgres': '3.90.2' }
const schema = `
create table public.notes (id int primary key, body text not null, shown boolean not null default false);
alter table public.notes enable row level security;
create policy "shown notes" on public.notes for select to anon using (shown);
insert into public.notes values (1, 'hidden', false), (2, 'shown', true);
create schema payload;
`
const results = []
let server, packages, payload
before(async () => {
  const install = (name, wanted) => installPackages(name, Object.entries(wanted).map((entry) => entry.join('@')))
  packages = install('own-schemas', versions)
  payload = install('payload', payloadVersions)
  server = await startProject({ from: null, files: { 'migrations/20260102000000_notes.sql': schema } })
})
after(async () => {
  await server?.remove()
  packages?.remove()
  payload?.remove()
})

const sql = (statement) => query(server.keys.DB_URL, statement)

/** Runs a program with the packages. The last line of its output is JSON. */
function run(text, { folder, node, environment } = packages) {
  const file = join(folder, 'program.mjs')
  writeFileSync(file, text)
  const options = { cwd: folder, env: { ...environment, DB_URL: server.keys.DB_URL }, encoding: 'utf8', timeout: 60_000 }
  const { status, stdout, stderr } = spawnSync(node, [file], options)
  assert.equal(status, 0, stdout + stderr)
  return JSON.parse(stdout.trim().split('\n').at(-1))
}

/** A scenario. Role postgres owns its schemas, and the API does not expose them. */
function scenario(name, does, schemas, body) {
  test(`${name}: ${does}`, async () => {
    await body()
    for (const schema of schemas) {
      assert.deepEqual(await sql(`select nspowner::regrole::text as owner from pg_namespace where nspname = '${schema}'`), [{ owner: 'postgres' }])
      const { status } = await fetch(`${server.url}/rest/v1/anything`, { headers: { apikey: server.serviceKey, 'accept-profile': schema } })
      assert.equal(status, 406)
    }
    results.push([`\`${name}\` ${{ ...versions, ...payloadVersions }[name]}`, does])
  })
}

scenario('pg-boss', 'queues, workers, schedules', ['pgboss'], () => {
  const found = run(`
    import PgBoss from 'pg-boss'
    const boss = new PgBoss(process.env.DB_URL)
    boss.on('error', (error) => { throw error })
    await boss.start()
    await boss.createQueue('mails')
    const done = new Promise((next) => void boss.work('mails', { pollingIntervalSeconds: 0.5 }, async ([job]) => next(job.data)))
    await boss.send('mails', { to: 'ann' })
    await boss.schedule('mails', '0 9 * * *', { to: 'ben' })
    const [data, schedules] = [await done, await boss.getSchedules()]
    await boss.stop({ graceful: false })
    console.log(JSON.stringify([data, schedules.map(({ cron }) => cron)]))
    process.exit(0)`)
  assert.deepEqual(found, [{ to: 'ann' }, ['0 9 * * *']])
})

scenario('graphile-worker', 'jobs from SQL, which start at once (LISTEN)', ['graphile_worker'], () => {
  const found = run(`
    import { run } from 'graphile-worker'
    import pg from 'pg'
    let next
    const done = new Promise((resolve) => (next = resolve))
    const runner = await run({ connectionString: process.env.DB_URL, noHandleSignals: true, pollInterval: 600000, taskList: { mail: async (data) => next(data) } })
    const client = new pg.Client({ connectionString: process.env.DB_URL })
    await client.connect()
    // A job that is added before the worker listens would wait until the worker polls.
    const listening = "select from pg_stat_activity where query like 'LISTEN %jobs:insert%' and state = 'idle'"
    while ((await client.query(listening)).rowCount === 0) continue
    await client.query("select graphile_worker.add_job('mail', json_build_object('to', 'ann'))")
    const data = await done
    await client.end()
    await runner.stop()
    console.log(JSON.stringify(data))
    process.exit(0)`)
  assert.deepEqual(found, { to: 'ann' })
})

scenario('postgraphile', 'GraphQL with the policies of a role; schema changes through its event triggers', ['postgraphile_watch'], async () => {
  const found = run(`
    import { createServer } from 'node:http'
    import pg from 'pg'
    import { postgraphile } from 'postgraphile'
    const options = { watchPg: true, ownerConnectionString: process.env.DB_URL, retryOnInitFail: false, disableQueryLog: true, pgSettings: { role: 'anon' } }
    const server = createServer(postgraphile(process.env.DB_URL, 'public', options)).listen(0, '127.0.0.1')
    await new Promise((next) => server.once('listening', next))
    const query = async (text) => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query: text }) }
      return (await fetch('http://127.0.0.1:' + server.address().port + '/graphql', request)).json()
    }
    const rows = await query('{ allNotes { nodes { body } } }')
    if (rows.errors) throw new Error(JSON.stringify(rows.errors))
    const client = new pg.Client({ connectionString: process.env.DB_URL })
    await client.connect()
    // The server answers before it has created its event triggers.
    const watching = "select from pg_event_trigger where evtname = 'postgraphile_watch_ddl'"
    while ((await client.query(watching)).rowCount === 0) continue
    await client.query("alter table public.notes add column extra text default 'new'")
    await client.end()
    let changed
    do changed = await query('{ allNotes { nodes { extra } } }')
    while (changed.errors)
    console.log(JSON.stringify([rows.data.allNotes.nodes, changed.data.allNotes.nodes]))
    process.exit(0)`)
  assert.deepEqual(found, [[{ body: 'shown' }], [{ extra: 'new' }]])
  assert.deepEqual(await sql("select distinct evtowner::regrole::text as owner, evtenabled from pg_event_trigger where evtname like 'postgraphile%'"), [{ owner: 'postgres', evtenabled: 'O' }])
})

scenario('payload', 'a schema of its own (`schemaName`): users, documents, relations, logins', ['payload'], () => {
  const found = run(`
    import { postgresAdapter } from '@payloadcms/db-postgres'
    import { buildConfig, getPayload } from 'payload'
    const posts = [{ name: 'title', type: 'text', required: true }, { name: 'tags', type: 'text', hasMany: true }, { name: 'author', type: 'relationship', relationTo: 'users' }]
    const config = buildConfig({
      secret: 'a secret of this test',
      telemetry: false,
      db: postgresAdapter({ pool: { connectionString: process.env.DB_URL }, schemaName: 'payload', push: true }),
      collections: [{ slug: 'users', auth: true, fields: [] }, { slug: 'posts', fields: posts }],
    })
    const payload = await getPayload({ config })
    const account = { email: 'ann@club.example', password: 'a long password' }
    const author = await payload.create({ collection: 'users', data: account })
    await payload.create({ collection: 'posts', data: { title: 'Pier', tags: ['sea', 'wood'], author: author.id } })
    const { user } = await payload.login({ collection: 'users', data: account })
    const { docs } = await payload.find({ collection: 'posts', where: { 'author.email': { equals: account.email } } })
    console.log('\\n' + JSON.stringify([user.email, docs.map(({ title, tags, author }) => [title, tags, author.email])]))
    process.exit(0)`, payload)
  assert.deepEqual(found, ['ann@club.example', [['Pier', ['sea', 'wood'], 'ann@club.example']]])
})

test('docs/clients.md shows the programs that ran', () => {
  checkTable('own-schemas', ['package', 'what works'], results)
})
