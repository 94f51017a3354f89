/**
 * SQL of a project that tries to run programs, to read and write files of the machine, or to create a superuser. Each attack is tried in every
 * way in which external SQL reaches the database: migrations, roles.sql, seeds, jobs, imports of a project, the dashboard, the Management API,
 * MCP. All of them run as the project's owner, so PostgreSQL refuses the attacks.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { firstOperator, invited } from '../support/dashboard.mjs'
import { binary, makeProject, removePlace, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const root = mkdtempSync(join(tmpdir(), 'cloch-sql-'))
/** Each program that an attack runs, and each file that it writes, is in this folder. Every account can write to it. */
const open = join(root, 'open')
const ran = join(open, 'ran')
const program = `echo ran >> ${ran}`

/** Attacks: a name and the statements. */
const attacks = [
  ['run a program', `copy public.t from program '${program}'`],
  ['run a program with rows', `copy (select 1) to program 'cat >> ${ran}'`],
  ['run a program in a block', `do $$ begin execute $x$copy public.t from program '${program}'$x$; end $$`],
  ['run a program with a stronger role', `reset role; copy public.t from program '${program}'`],
  ['run a program in a function with the rights of its owner', `create function public.run() returns void language plpgsql security definer as $$ begin execute $x$copy public.t from program '${program}'$x$; end $$; select public.run()`],
  ['run a program in a trigger', `create function public.on_row() returns trigger language plpgsql as $$ begin execute $x$copy (select 1) to program 'cat >> ${ran}'$x$; return new; end $$; create trigger runs before insert on public.t for each row execute function public.on_row(); insert into public.t values ('row')`],
  ['read a program as a table', `create foreign data wrapper files handler extensions.file_fdw_handler validator extensions.file_fdw_validator; create server files foreign data wrapper files; create foreign table public.output (line text) server files options (program '${program}'); select * from public.output`],
  ['run a command of psql', `\\! ${program}`],
  ['send a query to a command of psql', `select 1 \\g |cat >> ${ran}`],
  ['make a superuser', 'create role evil superuser login'],
  ['make a superuser in a block', `do $$ begin execute 'create role evil superuser'; end $$`],
  ['become a superuser', 'alter role postgres superuser'],
  ['become the superuser', 'set session authorization supabase_admin'],
  ['become a member of the superuser', 'grant supabase_admin to postgres'],
  ['become a member of the role for programs', 'grant pg_execute_server_program to postgres'],
  ['make a member of the role for programs', 'create role evil login in role pg_execute_server_program'],
  ["make a member of Cloch's own role", 'create role evil login in role cloch_server'],
  ["change the password of Cloch's own login", `alter role cloch_server password 'known'`],
  ['write a function in C', `create function public.c() returns int language c as '/tmp/library.so', 'f'`],
  ['write a function of PostgreSQL itself', `create function public.system(cstring) returns int language internal as 'system'`],
  ['create Python without limits', 'create extension plpython3u'],
  ['create Perl without limits', 'create language plperlu'],
  ['trust a language', `update pg_language set lanpltrusted = true where lanname = 'c'`],
  ['change the catalog of roles', 'update pg_authid set rolsuper = true'],
  ['let the server run commands', `alter system set archive_command = '${program}'`],
  ['load a library', `load '/tmp/library.so'`],
  ['read a file', `select pg_read_file('/etc/passwd')`],
  ['copy a file', `copy public.t from '/etc/passwd'`],
  ['write a file', `copy public.t to '${open}/written'`],
  ['import a file', `select lo_import('/etc/passwd')`],
  ['export a file', `select lo_export(lo_from_bytea(0, 'x'), '${open}/exported')`],
]
const isRefused = /read-only transaction|inside a transaction block|what uses it fails|permission denied|must be superuser|only superuser|is reserved|must have admin option|is not allowed|not available|does not exist|syntax error|backslash|command of psql|multiple commands|psql|superuser attribute|SUPERUSER/i

let place
let cloch
let developer
let mcp
const superuser = (text, server = cloch) => {
  const url = new URL(server.keys.DB_URL)
  url.username = 'supabase_admin'
  url.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(server.data, 'secrets.toml'), 'utf8'))[1]
  return execFileSync('psql', [url.href, '-XAtqc', text], { encoding: 'utf8' }).trim()
}
/** Up to PostgreSQL 15, Cloch makes the roles for programs and files superusers, which cannot log in. */
let superusersBefore
const superusers = 'select string_agg(rolname, $$ $$ order by rolname) from pg_roles where rolsuper'
const members = `select count(*) from pg_auth_members where member = 'postgres'::regrole and roleid::regrole::text in ('supabase_admin', 'pg_execute_server_program', 'cloch_server')`
/** Checks that no program has run and no file was written. */
function nothingRan(name) {
  assert.deepEqual(readdirSync(open), ['ran'], name)
  assert.equal(readFileSync(ran, 'utf8'), '', name)
}
/** Checks the same, and that no role became a superuser. */
function untouched(name, server = cloch) {
  nothingRan(name)
  // An import creates the roles of a dump without these attributes.
  const evil = `select count(*) from pg_roles where rolname = 'evil'${server === cloch ? '' : ' and rolsuper'}`
  const state = superuser(`select (${superusers}) || '; ' || (${members}) || '; ' || (${evil})`, server)
  assert.equal(state, `${superusersBefore}; 0; 0`, name)
}
const run = (given, at = place) => {
  const { status, stdout, stderr } = spawnSync(binary, [...given, '--project', at.project, '--data', at.data], { encoding: 'utf8', timeout: 60_000 })
  return { status, text: stdout + stderr }
}

before(async () => {
  chmodSync(root, 0o755)
  mkdirSync(open)
  chmodSync(open, 0o777)
  writeFileSync(ran, '')
  chmodSync(ran, 0o666)
  place = await makeProject({ from: null, files: { 'migrations/1_first.sql': 'create table public.t (line text);', 'cloch.toml': '[management]\nmcp_writes = true\n' } })
  cloch = await start(place)
  superusersBefore = superuser(superusers)
  assert.match(superusersBefore, /supabase_admin/)
  developer = await invited(await firstOperator(cloch), 'developer')
  mcp = new Client({ name: 'cloch-tests', version: '1' })
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${cloch.url}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}` } } }))
})
after(async () => {
  await mcp?.close()
  await cloch?.remove()
  rmSync(root, { recursive: true, force: true })
})

const management = async (path, body) => {
  const answer = await fetch(`${cloch.url}/v1/projects/${cloch.keys.PROJECT_REF}/database/${path}`, {
    method: 'POST', body: JSON.stringify(body), headers: { authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}`, 'content-type': 'application/json' },
  })
  return { isRefused: answer.status >= 400 && answer.status < 500, text: `${answer.status} ${await answer.text()}` }
}
const tool = async (name, given) => {
  const { isError, content } = await mcp.callTool({ name, arguments: given })
  return { isRefused: isError === true, text: content.map((part) => part.text).join('\n') }
}
const dashboard = async (path, body) => {
  const { status, json, text } = await developer.send('POST', path, body)
  return { isRefused: (status >= 400 && status < 500) || json?.error !== undefined && json.error !== null, text: `${status} ${text}` }
}
const migration = async (statements) => {
  const file = join(place.project, 'migrations/2_second.sql')
  writeFileSync(file, `${statements};\n`)
  const { status, text } = run(['db', 'migrate'])
  rmSync(file)
  // A migration continues without an extension that the server lacks, and warns of it.
  return { isRefused: status === 1 || /extension plpython3u: not installed/.test(text), text }
}
const ways = {
  'a migration': migration,
  'SQL of the dashboard': (sql) => dashboard('/sql/run', { sql, read_only: false }),
  'read-only SQL of the dashboard': (sql) => dashboard('/sql/read', { sql }),
  'SQL of the Management API': (query) => management('query', { query }),
  'read-only SQL of the Management API': (query) => management('query', { query, read_only: true }),
  'a migration of the Management API': (query) => management('migrations', { query, name: 'evil' }),
  'SQL of MCP': (query) => tool('execute_sql', { query }),
  'a migration of MCP': (query) => tool('apply_migration', { query, name: 'evil' }),
}
for (const [way, attempt] of Object.entries(ways)) {
  test(`${way} does not get out of the database`, { timeout: 180_000 }, async () => {
    for (const [name, statements] of attacks) {
      const answer = await attempt(statements)
      assert.ok(answer.isRefused, `${name}: ${answer.text}`)
      assert.match(answer.text, isRefused, name)
      nothingRan(name)
    }
    untouched(way)
  })
}

test('a job does not get out of the database', { timeout: 180_000 }, async () => {
  const jobs = attacks.map(([name, statements], number) => `select cron.schedule('attack ${number}', '1 seconds', $job$${statements}$job$); -- ${name}`)
  assert.equal((await management('query', { query: jobs.join('\n') })).text.slice(0, 3), '201')
  await until(() => superuser('select count(distinct jobid) from cron.job_run_details where end_time is not null') === `${attacks.length}`, 'a job did not run')
  const succeeded = superuser("select string_agg(distinct command, E'\\n') from cron.job_run_details where status = 'succeeded'")
  assert.equal(succeeded, '')
  untouched('jobs')
  await management('query', { query: 'select cron.unschedule(jobid) from cron.job' })
})

test('fields of an imported CSV file are treated as values', async () => {
  const csv = attacks.map(([, statements]) => `"${statements.replaceAll('"', '""')}"\n`).join('') + '"\\."\n'
  const query = new URLSearchParams({ schema: 'public', table: 't', columns: '["line"]' })
  const answer = await developer.send('POST', `/rows/csv?${query}`, csv, { headers: { 'content-type': 'text/csv' } })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(superuser(`select count(*) from t where line like '%program%'`), `${attacks.filter(([, text]) => text.includes('program')).length}`)
  untouched('CSV')
})

describe('a database that is created from a folder', { timeout: 600_000 }, () => {
  const stopped = async (files) => {
    const at = await makeProject({ from: null, seed: true, fresh: true, files: { 'migrations/1_first.sql': 'create table public.t (line text);', ...files } })
    return at
  }
  // Each case starts a separate database, so these files contain only attacks that would run a program or create a superuser.
  const some = attacks.filter(([name]) => ['run a program', 'run a program in a block', 'run a command of psql', 'make a superuser', 'become a superuser', 'write a function in C', 'create Python without limits'].includes(name))
  for (const [name, statements] of some) {
    test(`a seed does not ${name}, at the start and at a reset`, async () => {
      const at = await stopped({ 'seed.sql': `${statements};\n` })
      for (const given of [['db', 'migrate'], ['db', 'reset', '--yes']]) {
        const { status, text } = run(given, at)
        assert.match(text, isRefused)
        if (!/extension plpython3u: not installed/.test(text)) {
          assert.equal(status, 1, text)
          assert.match(text, /seed\.sql/)
        }
        untouched(name)
      }
      removePlace(at)
    })
  }

  test('roles.sql creates no superuser and runs no program', async () => {
    for (const [name, statements] of some) {
      const at = await stopped({ 'roles.sql': `${statements};\n` })
      const { status, text } = run(['db', 'migrate'], at)
      assert.match(text, isRefused, name)
      if (!/extension plpython3u: not installed/.test(text)) assert.equal(status, 1, `${name}: ${text}`)
      untouched(name)
      removePlace(at)
    }
  })

  const table = 'create table "public"."t" ("line" "text");\n'
  for (const [name, statements] of some) {
    test(`an imported dump does not ${name}`, async () => {
      const at = await makeProject({ from: null })
      const folder = join(root, 'dump')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'schema.sql'), `${table}${statements};\n`)
      writeFileSync(join(folder, 'data.sql'), '')
      const { status, text } = run(['import', '--dir', folder], at)
      rmSync(folder, { recursive: true })
      nothingRan(name)
      if (status !== 0) return removePlace(at)
      // Statements that a dump may not execute are skipped and listed. Every dump of roles contains `alter role postgres`, which is skipped without
      // a line in the list.
      assert.ok(name === 'become a superuser' || /left out|without its options|not read|not given|not added|not set|skipped/i.test(text), text)
      const imported = await start(at)
      untouched(name, imported)
      await imported.remove()
    })
  }
})
