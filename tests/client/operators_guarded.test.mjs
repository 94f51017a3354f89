/**
 * Actions that only the server may perform: write operators, change or empty the audit log, read links in mails. A developer tries them with SQL as
 * `postgres`, a login tries them that is a member of the server's role, and read-only SQL tries them. Also tests which views viewers may read.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { firstOperator, invited, Operator } from '../support/dashboard.mjs'
import { start, startProject } from '../support/program.mjs'

const REPORTER = '22222222-2222-4222-8222-222222222222'

let server
let owner
let developer
let viewer

before(async () => {
  server = await startProject({
    from: null,
    change: (config) => `${config}\n[auth.email]\nenable_confirmations = true\nmax_frequency = "0s"\n`,
    files: {
      'migrations/20260101000000_views.sql': `
        create table public.notes (id int primary key, body text);
        insert into public.notes values (1, '=1+1'), (2, '-5'), (3, 'plain');
        create schema private;
        create table private.salaries (id int primary key, amount int);
        insert into private.salaries values (1, 4711);
        create view public.hashes as select id, email, encrypted_password from auth.users;
        create view public.salaries as select * from private.salaries;
        create view public.own_salaries with (security_invoker = true) as select * from private.salaries;
        create materialized view public.kept as select * from private.salaries;
        create view public.open_notes as select id, body from public.notes;
        revoke all on public.hashes, public.salaries, public.own_salaries, public.kept from anon, authenticated, service_role;
        grant select on public.own_salaries to authenticated;
        create role reporter;
        grant reporter to authenticator;
        grant usage on schema public to reporter;
        grant select on public.hashes, public.salaries, public.kept to reporter;
        insert into auth.users (id, email, aud, role) values ('${REPORTER}', 'reporter@club.example', 'authenticated', 'reporter');`,
    },
  })
  owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
})
after(() => server?.remove())

/** Runs psql with a login of the server. Returns the output or the error. */
function sql(text, change = () => {}) {
  const url = new URL(server.keys.DB_URL)
  change(url)
  const { status, stdout, stderr } = spawnSync('psql', [url.href, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', text], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : `failed: ${stderr}`
}

/** Sets the login of the embedded server's superuser. The running server never uses this login. */
const superuser = (url) => {
  const password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(server.data, 'secrets.toml'), 'utf8'))[1]
  Object.assign(url, { username: 'supabase_admin', password })
}

const tables = ['operators', 'operator_links', 'operator_sessions', 'operator_passkeys', 'operator_challenges', 'operator_audit', 'management_audit', 'mail_drafts']

for (const role of ['cloch_server', 'cloch_operators']) test(`a member of the server’s own role ${role} can make nobody an owner, and cannot empty the audit log`, async () => {
  const name = `member_of_${role}`
  // Up to PostgreSQL 15, CREATEROLE is enough for this statement. PostgreSQL 16 and later refuse it. The library cloch_hooks refuses it in every
  // version.
  const made = sql(`create role ${name} login password 'known'; grant ${role} to ${name}`)
  const begin = (url) => Object.assign(url, { username: name, password: 'known' })
  if (/is reserved/.test(made)) {
    // The superuser runs the statement, so that the test can also check the second line of defence.
    assert.equal(sql(`create role ${name} login password 'known'; grant ${role} to ${name}`, superuser), '')
  } else if (made.startsWith('failed')) {
    assert.match(made, /permission denied to grant role|must have admin option/)
    return
  }
  // Inserts an entry that the attack then tries to delete.
  assert.equal(sql("insert into cloch.management_audit (user_agent, method, path, status) values ('test', 'GET', '/', 200)", superuser), '')
  const entries = Number(sql('select count(*) from cloch.operator_audit', begin))
  assert.ok(entries > 0, 'the login reads')
  for (const attack of [
    "update cloch.operators set role = 'owner'",
    "update cloch.operators set password_hash = 'x'",
    "insert into cloch.operators (email, role) values ('eve@example.org', 'owner')",
    "insert into cloch.operator_links (id, kind, token_hash, expires_at) values (gen_random_uuid(), 'first', 'x', now() + interval '1 day')",
    "insert into cloch.operator_sessions (operator_id, token_hash, expires_at) select id, 'x', now() + interval '1 day' from cloch.operators limit 1",
    "insert into cloch.operator_challenges (purpose, challenge, expires_at) values ('sign_in', 'x', now() + interval '1 day')",
    'delete from cloch.operator_audit',
    'delete from cloch.management_audit',
    "update cloch.operator_audit set email = 'somebody'",
    "insert into cloch.operator_audit (action) values ('made up')",
    'select setval(pg_get_serial_sequence(\'cloch.operator_audit\', \'id\'), 1); delete from cloch.operator_audit',
    "set session_replication_role = replica; delete from cloch.operator_audit",
    "create trigger swallow before insert on cloch.operator_audit for each row execute function suppress_redundant_updates_trigger()",
    'alter table cloch.operator_audit disable trigger all',
    'drop trigger guard on cloch.operator_audit',
    ...tables.map((table) => `truncate cloch.${table} cascade`),
    "alter role cloch_server password 'mine'",
    "alter role cloch_operators password 'mine'",
  ]) {
    assert.match(sql(attack, begin), /^failed: .*(written by the server alone|permission denied|must be owner|must be superuser|kept for 400 days|cannot set parameter|is reserved)/s, attack)
  }
  assert.ok(Number(sql('select count(*) from cloch.operator_audit', begin)) >= entries)
  assert.equal(sql("select count(*) from cloch.operators where role = 'owner'", begin), '1')
})

test('another login with the name of the server’s login writes no operators', () => {
  // Up to PostgreSQL 15, CREATEROLE is enough for these statements, but the library cloch_hooks refuses them. Then the superuser runs them.
  const made = "alter role cloch_operators rename to renamed; create role cloch_operators login password 'known'"
  const refused = sql(made)
  if (refused !== '') {
    assert.match(refused, /is reserved|permission denied/)
    assert.equal(sql(made, superuser), '')
  }
  assert.equal(sql('grant usage on schema cloch to cloch_operators; grant all on cloch.operator_links to cloch_operators', superuser), '')
  try {
    const write = "insert into cloch.operator_links (id, kind, token_hash, expires_at) values (gen_random_uuid(), 'first', 'x', now() + interval '1 day')"
    assert.match(sql(write, (url) => Object.assign(url, { username: 'cloch_operators', password: 'known' })), /written by the server alone/)
  } finally {
    assert.equal(sql('drop owned by cloch_operators; drop role cloch_operators; alter role renamed rename to cloch_operators', superuser), '')
  }
})

test('SQL as postgres changes no audit, whatever way it takes', async () => {
  const before = (await owner.must('GET', '/audit?limit=200')).entries.length
  for (const attack of [
    'delete from cloch.operator_audit',
    'truncate cloch.operator_audit',
    'drop table cloch.operator_audit cascade',
    'drop schema cloch cascade',
    'set role cloch_server; delete from cloch.operator_audit',
    "set session_replication_role = replica; delete from cloch.operator_audit",
    "create or replace function cloch.guard_operator_audit() returns trigger language plpgsql as 'begin return old; end'",
  ]) {
    const answer = await developer.send('POST', '/sql/run', { sql: attack, read_only: false })
    assert.match(answer.text, /permission denied|must be owner|must be superuser|cannot set parameter/, attack)
  }
  assert.ok((await owner.must('GET', '/audit?limit=200')).entries.length > before)
  // SQL cannot remove entries from the log.
  const log = server.output()
  assert.match(log, /audit: an operator's action begins/)
  assert.match(log, /audit: an operator's action has ended/)
})

test('a mail with a link is sealed in the database, and whole in the inbox and the dashboard', async () => {
  const asked = await fetch(`${server.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.org', password: 'correct horse' }),
  })
  assert.equal(asked.status, 200)
  const { messages } = await (await fetch(`${server.url}/_/inbox/api/messages?to=ann@example.org`)).json()
  const link = /href="([^"]+)"/.exec(messages[0].html)[1].replaceAll('&amp;', '&')
  assert.match(link, /\/auth\/v1\/verify\?token=/)
  const outbox = "select subject, html, body_text from cloch.mail_outbox where 'ann@example.org' = any (recipients)"
  const refused = await developer.must('POST', '/sql/read', { sql: outbox })
  assert.deepEqual([refused.error.sqlstate, refused.results], ['42501', []])
  assert.match(refused.error.hint, /reads no secrets/)
  // The project's owner can read every table. The mails in the table are encrypted.
  const read = await developer.must('POST', '/sql/run', { sql: outbox })
  const text = JSON.stringify(read)
  assert.match(text, /cloch-sealed:/)
  assert.ok(!text.includes('verify?token') && !text.includes('Confirm'), text.slice(0, 500))
  const [{ id }] = (await developer.must('GET', '/mail?to=ann@example.org')).messages
  const shown = await developer.must('GET', `/mail/${id}`)
  assert.ok(shown.text.includes('verify?token') && !shown.subject.includes('sealed'))
  assert.match((await developer.send('GET', `/mail/${id}/html`)).text, /verify\?token/)
  assert.ok(!JSON.stringify(await viewer.must('GET', '/mail')).includes('sealed'))
  // The link works.
  const followed = await fetch(link, { redirect: 'manual' })
  assert.match(followed.headers.get('location'), /access_token=/)
})

test('read-only SQL writes no message into the database’s log', async () => {
  for (const flag of ['false', 'true']) {
    const answer = await developer.send('POST', '/sql/read', { sql: `select pg_logical_emit_message(${flag}, 'x', 'y')` })
    assert.match(answer.text, /permission denied for function pg_logical_emit_message/)
  }
})

test('a viewer reads views that users may select, with the rights of users, and no others', async () => {
  const request = (table) => `/rows/csv?request=${encodeURIComponent(JSON.stringify({ schema: 'public', table }))}`
  for (const table of ['hashes', 'salaries', 'kept']) {
    // The server does not accept a role that the project has created as a visitor's role either, neither in the claims nor in the account.
    for (const as of [undefined, { role: 'postgres' }, { role: 'service_role' }, { claims: { role: 'service_role' } }, { claims: { role: 'reporter' } }, { user: REPORTER }]) {
      const answer = await viewer.send('POST', '/rows/read', { schema: 'public', table, as })
      assert.equal(answer.status, 403, `${table} as ${JSON.stringify(as)}: ${answer.text}`)
    }
    assert.equal((await viewer.send('GET', request(table))).status, 403, table)
    assert.equal((await viewer.send('POST', '/rows/cell', { schema: 'public', table, key: { id: 1 }, column: 'id' })).status, 403, table)
    assert.equal((await viewer.send('POST', '/why', { as: { role: 'authenticated' }, method: 'GET', path: `/rest/v1/${table}` })).status, 403, table)
    assert.equal((await developer.send('POST', '/rows/read', { schema: 'public', table })).status, 200, table)
  }
  // The view has the privileges of its caller (security_invoker). Users may select from the view, but see no rows.
  const behind = await viewer.send('POST', '/rows/read', { schema: 'public', table: 'own_salaries' })
  assert.ok(behind.status >= 400 && !behind.text.includes('4711'), behind.text)
  const { rows } = await viewer.must('POST', '/rows/read', { schema: 'public', table: 'open_notes' })
  assert.equal(rows.length, 3)
})

test('a live log stream does not count as use of the session, and a request does', async () => {
  const who = await invited(owner, 'viewer', 'streamer@club.example')
  const sessions = "cloch.operator_sessions where operator_id = (select id from cloch.operators where email = 'streamer@club.example')"
  const idle = () => Number(sql(`select round(extract(epoch from now() - seen_at) / 60) from ${sessions}`, superuser))
  sql(`update cloch.operator_sessions set seen_at = now() - interval '30 minutes' where id in (select id from ${sessions})`, superuser)
  const abort = new AbortController()
  const live = await fetch(`${server.url}/_/api/logs/stream`, { headers: { cookie: who.cookie }, signal: abort.signal })
  assert.equal(live.status, 200)
  assert.equal(idle(), 30)
  abort.abort()
  await who.must('GET', '/project')
  assert.equal(idle(), 0)
  // A session ends when the operator has not used it for some time. Then the server refuses a log stream with this session too.
  sql(`update cloch.operator_sessions set seen_at = now() - interval '61 minutes' where id in (select id from ${sessions})`, superuser)
  assert.equal((await fetch(`${server.url}/_/api/logs/stream`, { headers: { cookie: who.cookie } })).status, 401)
})

test('a CSV file has no formulas, and the audit says of which table it is', async () => {
  const query = (more = '') => `/rows/csv?request=${encodeURIComponent(JSON.stringify({ schema: 'public', table: 'notes', sort: [{ column: 'id' }] }))}${more}`
  assert.equal((await viewer.send('GET', query())).text, "id,body\n1,'=1+1\n2,-5\n3,plain\n")
  assert.equal((await viewer.send('GET', query('&raw=true'))).text, 'id,body\n1,=1+1\n2,-5\n3,plain\n')
  await viewer.must('POST', '/why', { as: { role: 'anon' }, method: 'GET', path: '/rest/v1/notes?body=eq.private' })
  const { entries } = await owner.must('GET', '/audit?limit=200')
  const targets = (action) => entries.filter((entry) => entry.action === action && entry.status === 200).map(({ target }) => target)
  assert.deepEqual(targets('rows.export'), ['public.notes as postgres', 'public.notes as postgres'])
  assert.ok(targets('why.ask').includes('GET /rest/v1/notes as anon'), JSON.stringify(targets('why.ask')))
})

test('wrong passwords from many networks are answered late, and the right one at once', async () => {
  const proxied = await startProject({ from: null, files: { 'cloch.toml': '[server]\ntrusted_proxies = ["127.0.0.1/32"]\n' } })
  try {
    await firstOperator(proxied, 'owner@club.example')
    const attempt = async (network, password) => {
      const begun = performance.now()
      const answer = await new Operator(proxied.url).send('POST', '/session', { email: 'owner@club.example', password }, { headers: { 'x-forwarded-for': `${network}:4711` } })
      return { ...answer, seconds: (performance.now() - begun) / 1000 }
    }
    for (let network = 1; network <= 6; network += 1) {
      for (let guess = 0; guess < 9; guess += 1) {
        const answer = await attempt(`198.51.100.${network}`, `wrong password ${guess}`)
        assert.equal(answer.status, 401, answer.text)
      }
    }
    const wrong = await attempt('198.51.100.77', 'wrong again and again')
    assert.deepEqual([wrong.status, wrong.seconds > 4], [401, true])
    const right = await attempt('198.51.100.78', 'Greenock pier at dusk')
    assert.deepEqual([right.status, right.seconds < 4], [200, true], right.text)
    // The limit of ten attempts for one network still applies.
    const statuses = []
    for (let guess = 0; guess < 3; guess += 1) statuses.push((await attempt('198.51.100.1', 'wrong')).status)
    assert.ok(statuses.includes(429), `${statuses}`)
  } finally {
    await proxied.remove()
  }
})

// This must be the last test, because it restarts the server.
test('the next start takes members out of the server’s own roles, and warns of them', async () => {
  const roles = ['cloch_server', 'cloch_operators']
  for (const role of roles) assert.equal(sql(`create role intruder_of_${role} login password 'known'; grant ${role} to intruder_of_${role}`, superuser), '')
  await server.stop()
  server = await start(server)
  assert.equal(sql("select count(*) from pg_auth_members where roleid::regrole::text in ('cloch_server', 'cloch_operators')", superuser), '0')
  for (const role of roles) assert.match(server.output(), new RegExp(`security: intruder_of_${role} was a member of ${role}, and is none any more`))
})
