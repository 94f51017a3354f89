/** When the server starts, it warns about tables that everybody can read. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { makeProject, removePlace, sleep, start } from '../support/program.mjs'

const migration = `
create table public.auth_user (id int primary key, password text);
insert into public.auth_user values (1, 'pbkdf2');
create table public.prices (id int primary key);
create table public.notes (id int primary key);
alter table public.notes enable row level security;
create table public.inbox (id int primary key);
revoke select on public.inbox from anon;
create schema hidden;
create table hidden.notes (id int primary key);
`
const places = []
after(() => places.forEach(removePlace))

/** Starts a project. Returns the log line with the result of the search, which runs in the background. */
async function searched(place, then = async () => {}) {
  const cloch = await start(place, { environment: { CLOCH_LOG_FORMAT: 'json', CLOCH_LOG: 'info,cloch=debug' } })
  try {
    const lines = () => cloch.output().split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    const result = ({ message }) => /tables that role anon can read/.test(message)
    for (let attempt = 0; attempt < 200 && !lines().some(result); attempt += 1) await sleep(50)
    const found = lines().filter(result)
    assert.equal(found.length, 1, cloch.output())
    await then(cloch)
    return found[0]
  } finally {
    await cloch.stop()
  }
}

const project = async (options) => {
  const place = await makeProject({ from: null, ...options })
  places.push(place)
  return place
}
const ignore = (on) => `[[advisors.ignore]]\nlint = "rls_disabled_in_public"\non = ${JSON.stringify(on)}\nreason = "Everybody may read it."\n`

test('a start names the tables that everybody can read, until row-level security is enabled or cloch.toml ignores them', async () => {
  const place = await project({ files: { 'migrations/20260101000000_tables.sql': migration } })
  const warning = await searched(place, async ({ url, anonKey }) => {
    // The warning is correct: everybody can read these rows.
    const rows = await (await fetch(`${url}/rest/v1/auth_user`, { headers: { apikey: anonKey } })).json()
    assert.deepEqual(rows, [{ id: 1, password: 'pbkdf2' }])
  })
  assert.deepEqual([warning.level, warning.tables], ['WARN', 2])
  assert.match(warning.message, /reads all rows of public\.auth_user, public\.prices\. Enable row-level security \(`cloch advise` prints the SQL\), or revoke SELECT from anon/)
  assert.match(warning.message, /\[\[advisors\.ignore\]\] of cloch\.toml with lint = "rls_disabled_in_public"/)

  writeFileSync(join(place.project, 'cloch.toml'), ignore(['public.prices']))
  const rest = await searched(place)
  assert.deepEqual([rest.level, rest.tables], ['WARN', 1])
  assert.match(rest.message, /reads all rows of public\.auth_user\. /)

  writeFileSync(join(place.project, 'migrations/20260102000000_guard.sql'), 'alter table public.auth_user enable row level security;')
  const clean = await searched(place)
  assert.equal(clean.level, 'DEBUG')
})

test('the warning names a limited number of tables', async () => {
  const many = 'do $$ begin for number in 10..39 loop execute format($sql$create table public.t%s (id int primary key)$sql$, number); end loop; end $$;'
  const place = await project({ files: { 'migrations/20260101000000_many.sql': many } })
  const warning = await searched(place)
  assert.equal(warning.tables, 30)
  assert.match(warning.message, /public\.t29 and 10 more tables\. /)
  assert.doesNotMatch(warning.message, /public\.t30/)
})
