/**
 * Black-box test of reads in the dashboard: secrets in `why`; settings and logs that viewers must not read; audit entries for rows that were
 * read; advisor findings that an operator ignores with a reason; PostgreSQL's own log in the live stream; the time of a job's next run.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Operator, firstOperator, invited } from '../support/dashboard.mjs'
import { startProject } from '../support/program.mjs'

let server
let owner
let developer
let viewer

before(async () => {
  server = await startProject({
    from: null,
    change: (config) => `${config.replace('[api]', '[api]\nschemas = ["net", "public"]')}
[edge_runtime.secrets]
MODEL = "hidden in the settings"
[auth.sms.test_otp]
441475000000 = "246813"
[auth.hook.send_sms]
enabled = false
uri = "https://hooks.example/hidden-in-a-path"
[auth.external.google]
enabled = false
client_id = "club.apps.example"
secret = "hidden in a provider"
`,
    files: {
      'cloch.toml': '# Ours.\n[server] # kept\nbody_limit = "2MB"\n',
      'migrations/20260101000000_notes.sql': `
        create table public.notes (id int primary key, body text);
        insert into public.notes values (1, 'first');
        alter table public.notes enable row level security;
        create table public.leaky (id int primary key);
        create type public.mood as enum ('calm', 'wild');
        create table public.moods (mood public.mood);
        create publication of_moods for table public.moods;
        select cron.schedule('nightly', '30 3 * * *', 'select 1');
        select cron.schedule('paused', '* * * * *', 'select 1');
        update cron.job set active = false where jobname = 'paused';
        select cron.schedule('call', '0 4 1 1 *', $$select 'hidden in a job'$$);
        insert into cron.job_run_details (jobid, status, return_message) select jobid, 'failed', 'hidden in a run' from cron.job where jobname = 'call';
        create extension if not exists postgres_fdw with schema extensions;
        create server elsewhere foreign data wrapper postgres_fdw;
        create user mapping for postgres server elsewhere options (user 'remote', password 'hidden in a mapping');
        create trigger hook after insert on public.notes for each row
          execute function supabase_functions.http_request('https://hooks.example', 'POST', '{"authorization":"hidden in a header"}', '{}', '1000');`,
    },
  })
  owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
})

after(() => server?.remove())

const finding = { lint: 'rls_disabled_in_public', on: 'public.leaky' }

test('only developers can ignore a finding, with a reason, and only a finding that exists', async () => {
  const post = async (who, body) => (await who.send('POST', '/advisors/ignore', body)).status
  assert.equal(await post(new Operator(server.url), { ...finding, reason: 'Why.' }), 401)
  assert.equal(await post(viewer, { ...finding, reason: 'Why.' }), 403)
  assert.equal(await post(developer, { ...finding, reason: '  ' }), 400)
  assert.equal(await post(developer, { ...finding, reason: 'x'.repeat(1001) }), 400)
  assert.equal(await post(developer, { ...finding, on: 'public.notes', reason: 'It has none.' }), 404)
  assert.equal(await post(developer, { ...finding, lint: 'no_such_rule', reason: 'Why.' }), 404)
  const file = join(server.project, 'cloch.toml')
  const before = readFileSync(file, 'utf8')
  assert.equal(await post(developer, { ...finding, reason: 'It is a "public" list.' }), 204)
  assert.equal(await post(developer, { ...finding, reason: 'Again.' }), 404, 'it is ignored already')
  assert.ok(readFileSync(file, 'utf8').startsWith(before))
  const { lints, ignored } = await viewer.must('GET', '/advisors')
  assert.ok(!lints.some(({ name, metadata }) => name === finding.lint && metadata.name === 'leaky'))
  assert.equal(ignored.find(({ metadata }) => metadata.name === 'leaky').reason, 'It is a "public" list.')
  const { entries } = await owner.must('GET', '/audit?action=advisors.')
  assert.deepEqual(entries.find(({ status }) => status === 204).details, { lint: finding.lint, on: [finding.on] })
  // The server reads the decision from the file only, so it also sees changes by another node, an editor or git.
  const leaky = ({ lints }) => lints.some(({ name, metadata }) => name === finding.lint && metadata.name === 'leaky')
  const decided = readFileSync(file, 'utf8')
  writeFileSync(file, before)
  assert.ok(leaky(await viewer.must('GET', '/advisors')), 'the decision was taken back')
  writeFileSync(file, `${before}\n[[advisors.ignore]]\nlint = "${finding.lint}"\n`)
  assert.match((await viewer.send('GET', '/advisors')).json.message, /reason/)
  writeFileSync(file, decided)
  assert.ok(!leaky(await viewer.must('GET', '/advisors')))
})

test('a viewer can request explanations, and sees no row of a schema with secrets', async () => {
  const ask = async (who, path, schema) => (await who.send('POST', '/why', { as: { role: 'service_role' }, method: 'GET', path, schema })).status
  assert.equal(await ask(viewer, '/storage/v1/object/pictures/a.png'), 200)
  // In this test, the project exposes this schema by mistake.
  assert.equal(await ask(viewer, '/rest/v1/_http_response'), 403)
  assert.equal(await ask(developer, '/rest/v1/_http_response'), 200)
  assert.equal(await ask(viewer, '/rest/v1/no_such_table'), 400)
  // `why` answers questions about every exposed schema, not only about the first one. It refuses questions about other schemas.
  assert.equal(await ask(viewer, '/rest/v1/notes'), 400)
  assert.equal(await ask(viewer, '/rest/v1/notes', 'auth'), 400)
  assert.equal(await ask(viewer, '/rest/v1/notes', 'public'), 200)
  assert.equal(await ask(viewer, '/rest/v1/_http_response', 'net'), 403)
})

test('a viewer cannot read a stored request: its path and claims belong to a user', async () => {
  const { status, headers } = await fetch(`${server.url}/rest/v1/notes?body=eq.private`, { headers: { apikey: server.anonKey, 'accept-profile': 'public' } })
  assert.equal(status, 200)
  const path = `/why/${headers.get('x-request-id')}`
  assert.equal((await viewer.send('GET', path)).status, 403)
  const kept = await developer.must('GET', path)
  assert.deepEqual([kept.path, kept.schema], ['/rest/v1/notes?body=eq.private', 'public'])
})

test('a viewer cannot read rows of the catalog, by any path', async () => {
  const relations = ['information_schema.user_mapping_options', 'information_schema._pg_user_mappings', 'pg_catalog.pg_user_mappings', 'pg_catalog.pg_user_mapping', 'pg_catalog.pg_authid', 'pg_catalog.pg_stats', 'supabase_migrations.schema_migrations', 'cron.job', 'vault.secrets']
  for (const relation of relations) {
    const [schema, table] = relation.split('.')
    const request = encodeURIComponent(JSON.stringify({ schema, table }))
    for (const as of [undefined, { role: 'service_role' }]) assert.equal((await viewer.send('POST', '/rows/read', { schema, table, as })).status, 403, relation)
    assert.equal((await viewer.send('POST', '/rows/cell', { schema, table, key: {}, column: 'x' })).status, 403, relation)
    assert.equal((await viewer.send('GET', `/rows/csv?request=${request}`)).status, 403, relation)
  }
  assert.equal((await viewer.send('POST', '/sql/read', { sql: 'select 1' })).status, 403)
  assert.equal((await viewer.send('POST', '/sql/run', { sql: 'select 1' })).status, 403)
  // The secret exists in the catalog, and operators with the right role can read it.
  const { rows } = await developer.must('POST', '/rows/read', { schema: 'pg_catalog', table: 'pg_user_mappings' })
  assert.ok(JSON.stringify(rows).includes('hidden in a mapping'))
})

test('no page shows a secret to a viewer', async () => {
  const { keys } = server
  const secrets = [keys.JWT_SECRET, keys.SERVICE_ROLE_KEY, keys.SECRET_KEY, keys.DB_URL, keys.S3_PROTOCOL_ACCESS_KEY_SECRET, keys.SUPABASE_ACCESS_TOKEN, '246813']
  const known = secrets.filter((secret) => typeof secret === 'string' && secret.length > 5)
  assert.ok(known.length >= 5, `${known.length} secrets are known`)
  const { jobs } = await developer.must('GET', '/cron')
  const job = jobs.find(({ name }) => name === 'call').id
  for (const path of ['/settings', '/project', '/functions', '/backups', '/health', '/advisors', '/policies?schema=public', '/logs?limit=1000', '/session', '/cron', `/cron/${job}/runs`, '/schema', '/schema/public/tables/notes', '/completion']) {
    const answer = JSON.stringify(await viewer.must('GET', path))
    for (const secret of [...known, 'hidden in', 'hidden-in']) assert.ok(!answer.includes(secret), `${path} shows ${secret}`)
  }
  for (const path of ['/cron', `/cron/${job}/runs`, '/schema/public/tables/notes']) assert.ok(JSON.stringify(await developer.must('GET', path)).includes('hidden in'), `${path} of a developer`)
  const settings = (await viewer.must('GET', '/settings')).groups.flatMap((group) => group.settings)
  const shown = (wanted) => settings.find(({ key }) => key === wanted)
  assert.deepEqual([shown('auth.sms.test_otp.441475000000').value, shown('auth.sms.test_otp.441475000000').secret], [null, true])
  assert.deepEqual([shown('auth.external.google.client_id').value, shown('auth.hook.send_sms.enabled').value], ['club.apps.example', false])
  for (const [method, path] of [['POST', '/project/keys'], ['GET', '/api-keys'], ['POST', '/api-keys'], ['DELETE', '/api-keys/secret'], ['GET', '/functions/secrets'], ['GET', '/logs/postgres'], ['GET', '/audit']]) assert.equal((await viewer.send(method, path)).status, 403, path)
})

test('a viewer sees replication and the number of failed outgoing requests', async () => {
  const { replication, requests } = await viewer.must('GET', '/health')
  assert.deepEqual(replication.standbys, [])
  for (const { name, active } of replication.slots) assert.deepEqual([typeof name, typeof active], ['string', 'boolean'])
  assert.equal(requests.failed, 0)
  const { error } = await developer.must('POST', '/sql/run', { sql: `select net.http_get('http://hidden-in-a-name.invalid/')`, read_only: false })
  assert.equal(error, null)
  const deadline = Date.now() + 30_000
  let after
  do {
    await new Promise((done) => setTimeout(done, 200))
    after = (await viewer.must('GET', '/health')).requests
  } while (after.failed === 0 && Date.now() < deadline)
  assert.deepEqual([after.failed, after.done], [1, requests.done + 1])
  assert.ok(new Date(after.last_failed_at) > Date.now() - 60_000)
  assert.ok(!JSON.stringify(after).includes('hidden'))
})

test('the audit log contains who read which rows as which caller, once for a person who scrolls', async () => {
  const read = (more) => viewer.must('POST', '/rows/read', { schema: 'public', table: 'notes', ...more })
  await read()
  await read({ offset: 1 })
  await read({ as: { role: 'anon' } })
  await viewer.must('POST', '/rows/cell', { schema: 'public', table: 'notes', key: { id: '1' }, column: 'body' })
  assert.equal((await viewer.send('POST', '/rows/read', { schema: 'public', table: 'missing' })).status, 404)
  const { entries } = await owner.must('GET', '/audit?action=rows.')
  const found = entries.filter(({ target }) => target.startsWith('public.')).map(({ action, target, status }) => [action, target, status]).reverse()
  assert.deepEqual(found, [
    ['rows.read', 'public.notes as postgres', 200],
    ['rows.read', 'public.notes as anon', 200],
    ['rows.cell', 'public.notes as postgres', 200],
    ['rows.read', 'public.missing as postgres', 404],
  ])
})

test('developers see PostgreSQL’s own log in the live stream, and viewers do not', async () => {
  const follow = async (who) => {
    const abort = new AbortController()
    const live = await fetch(`${server.url}/_/api/logs/stream?api=postgres`, { headers: { cookie: who.cookie }, signal: abort.signal })
    assert.equal(live.status, 200)
    const stop = setTimeout(() => abort.abort(), 6000)
    let text = ''
    try {
      for await (const chunk of live.body) {
        text += Buffer.from(chunk).toString()
        if (text.includes('event: postgres')) break
      }
    } catch (error) {
      if (error.name !== 'AbortError') throw error
    }
    clearTimeout(stop)
    abort.abort()
    return text
  }
  const following = Promise.all([follow(developer), follow(viewer)])
  await new Promise((done) => setTimeout(done, 1000))
  await developer.must('POST', '/sql/run', { sql: 'select no_such_column_at_all' })
  const [ofDeveloper, ofViewer] = await following
  assert.match(ofDeveloper, /no_such_column_at_all/)
  assert.match(ofDeveloper, /"level":"error"/)
  assert.ok(!ofViewer.includes('no_such_column_at_all'))
})

test('a job has the time of its next run, unless it is paused', async () => {
  const { jobs } = await viewer.must('GET', '/cron')
  const next = new Date(jobs.find(({ name }) => name === 'nightly').next_run_at)
  assert.ok(next > new Date() && next - new Date() <= 24 * 3_600_000)
  assert.deepEqual([next.getUTCHours(), next.getUTCMinutes()], [3, 30])
  assert.equal(jobs.find(({ name }) => name === 'paused').next_run_at, null)
})

test('a table contains the enum of each column, and the publications that contain the table with the reason', async () => {
  const { columns, publications, key } = await viewer.must('GET', '/schema/public/tables/moods')
  assert.deepEqual([columns[0].enum, columns[0].values, key], [{ schema: 'public', name: 'mood' }, ['calm', 'wild'], []])
  const of = (name) => publications.find((publication) => publication.name === name)
  assert.deepEqual(of('of_moods'), { name: 'of_moods', sends: true, named: true, whole: false })
  assert.deepEqual(of('supabase_realtime'), { name: 'supabase_realtime', sends: false, named: false, whole: false })
})
