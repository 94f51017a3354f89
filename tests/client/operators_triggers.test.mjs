/**
 * Code of the project that runs in sessions of the server's own login, such as a trigger on a table that the server writes. The code may not
 * write operators, audits, API keys and settings, and must not be able to change the operator of a dashboard request.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { firstOperator, Operator } from '../support/dashboard.mjs'
import { binary, sleep, startProject } from '../support/program.mjs'
import { askS3 } from '../support/s3.mjs'

const ATTACKS = [
  "insert into cloch.operators (email, role) values ('eve@example.org', 'owner')",
  "update cloch.operators set role = 'owner', disabled = false",
  'delete from cloch.operators',
  "insert into cloch.operator_links (id, kind, token_hash, expires_at) values (gen_random_uuid(), 'first', 'x', now() + interval '1 day')",
  "insert into cloch.operator_sessions (operator_id, token_hash, expires_at) select id, 'x', now() + interval '1 day' from cloch.operators",
  "insert into cloch.operator_challenges (purpose, challenge, expires_at) values ('sign_in', 'x', now() + interval '1 day')",
  "insert into cloch.operator_audit (action) values ('made up')",
  'delete from cloch.operator_audit',
  "select cloch.begin_management_request('198.51.100.7', 'made up', 'GET', '/v1')",
  "insert into cloch.api_keys (id, name, kind, hash) values ('00000000', 'made up', 'secret', sha256('x'))",
  "insert into cloch.settings_changes (id, sealed) values (1, 'x')",
  'lock table cloch.settings_changes in share row exclusive mode',
  "set local session_replication_role = replica; insert into cloch.operators (email, role) values ('eve@example.org', 'owner')",
  "set local role cloch_operators; insert into cloch.operators (email, role) values ('eve@example.org', 'owner')",
  "set local session authorization cloch_operators; insert into cloch.operators (email, role) values ('eve@example.org', 'owner')",
  'grant cloch_operators to postgres',
  'grant cloch_operators to cloch_server',
  "alter role cloch_operators password 'known'",
  "set local role postgres; alter role cloch_operators password 'known'",
  'alter table cloch.operators disable trigger all',
  "create trigger mine before insert on cloch.operators for each row execute function public.attack()",
  "create or replace function cloch.is_servers_session() returns boolean language sql as 'select true'",
]

let server
let owner

before(async () => {
  server = await startProject({ from: null })
  psql(`
    insert into storage.buckets (id, name) values ('files', 'files');
    create table public.attempts (login name, statement text, error text)`)
  owner = await firstOperator(server)
})
after(() => server?.remove())

function psql(text, change = () => {}) {
  const url = new URL(server.keys.DB_URL)
  change(url)
  const { status, stdout, stderr } = spawnSync('psql', [url.href, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', text], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout.trim()
}

/** Changes the login of the embedded server's superuser. The running server never uses this login. */
const superuser = (url) => {
  const password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(server.data, 'secrets.toml'), 'utf8'))[1]
  Object.assign(url, { username: 'supabase_admin', password })
}

const beginUpload = () => askS3(server, 'POST', '/files/a.txt?uploads=')

test('a trigger in a session of the server makes nobody an operator, and writes no audit', async () => {
  psql(`
    create function public.attack() returns trigger language plpgsql as $body$
    declare
      tried text;
    begin
      foreach tried in array array[${ATTACKS.map((text) => `$text$${text}$text$`).join(', ')}] loop
        begin
          execute tried;
          insert into public.attempts values (session_user, tried, null);
        exception when others then
          insert into public.attempts values (session_user, tried, sqlerrm);
        end;
      end loop;
      return new;
    end $body$;
    create trigger attack before insert on storage.s3_multipart_uploads for each row execute function public.attack()`)
  assert.equal((await beginUpload()).status, 200)
  const attempts = JSON.parse(psql('select json_agg(a) from public.attempts as a'))
  assert.equal(attempts.length, ATTACKS.length)
  // The trigger ran in a session of the server's login. In a session of another login, the attacks would prove nothing.
  assert.deepEqual([...new Set(attempts.map(({ login }) => login))], ['cloch_server'])
  const succeeded = attempts.filter(({ error }) => error === null).map(({ statement }) => statement)
  assert.deepEqual(succeeded, [])
  for (const { statement, error } of attempts) {
    assert.match(error, /written by the server alone|permission denied|must be owner|must be superuser|admin option|is reserved|must have|cannot set|only roles/, statement)
  }
  assert.equal(psql("select string_agg(email || ' ' || role, ',') from cloch.operators", superuser), 'owner@club.example owner')
  assert.equal(psql("select count(*) from cloch.operator_audit where action = 'made up'", superuser), '0')
  assert.equal(psql("select count(*) from cloch.management_audit where user_agent = 'made up'", superuser), '0')
})

test('an operator that a trigger adds to the search path of the session signs nobody in', async () => {
  psql(`
    drop trigger if exists attack on storage.s3_multipart_uploads;
    create schema evil;
    grant usage on schema evil to public;
    create function evil.yes(bytea, bytea) returns boolean language sql immutable as 'select true';
    create operator evil.= (leftarg = bytea, rightarg = bytea, function = evil.yes);
    create function public.poison() returns trigger language plpgsql as $body$
    begin
      perform set_config('search_path', 'evil, pg_catalog', false);
      insert into public.attempts values (session_user, 'poison');
      return new;
    end $body$;
    create trigger poison after insert on storage.s3_multipart_uploads for each row execute function public.poison()`)
  const uploads = 30
  // Concurrent uploads use all connections of the pool.
  await Promise.all(Array.from({ length: uploads }, async () => assert.equal((await beginUpload()).status, 200)))
  assert.equal(psql("select count(*) from public.attempts where statement = 'poison' and login = 'cloch_server'"), `${uploads}`)
  await owner.must('GET', '/session')
  const intruder = new Operator(server.url)
  intruder.cookie = `${owner.cookie.split('=')[0]}=${'x'.repeat(43)}`
  for (let count = 0; count < 20; count += 1) {
    const answer = await intruder.send('GET', '/session')
    assert.equal(answer.status, 401, answer.text)
  }
})

test('a key is refused after its revocation, although a trigger has changed the role of the sessions', async () => {
  const keys = (...words) => spawnSync(binary, ['keys', ...words, '--project', server.project, '--data', server.data], { encoding: 'utf8' }).stdout
  const [, key, id] = keys('new', 'secret').match(/^(sb_[\w-]+)\nIts ID is ([0-9a-f]{8})\./)
  const becomes = async (expected) => {
    let status
    for (let attempt = 0; attempt < 100 && status !== expected; attempt += 1) {
      status = (await fetch(`${server.url}/rest/v1/attempts?limit=1`, { headers: { apikey: key } })).status
      if (status !== expected) await sleep(100)
    }
    assert.equal(status, expected)
  }
  await becomes(200)
  psql(`
    create or replace function public.poison() returns trigger language plpgsql as $body$
    begin
      insert into public.attempts values (session_user, 'role');
      perform set_config('role', 'anon', false);
      return new;
    end $body$`)
  await Promise.all(Array.from({ length: 30 }, beginUpload))
  assert.notEqual(psql("select count(*) from public.attempts where statement = 'role' and login = 'cloch_server'"), '0')
  keys('revoke', id)
  await becomes(401)
})
