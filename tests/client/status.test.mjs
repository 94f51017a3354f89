/** The commands of a terminal use the keys of the running server, which may come from the server's environment or its options. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { binary, makeProject, removePlace, start } from '../support/program.mjs'

const table = 'create table public.notes (id int); insert into public.notes values (7); grant select on public.notes to anon, service_role;'
const place = await makeProject({ from: null, files: { 'migrations/20260101000000_notes.sql': table } })
const file = join(place.data, 'keys-in-use.toml')
let running
after(async () => {
  await running?.stop()
  removePlace(place)
})

/** Runs a command in an environment without the variables of the server. */
const run = (...words) => {
  const { status, stdout, stderr } = spawnSync(binary, [...words, '--project', place.project, '--data', place.data], { encoding: 'utf8' })
  return { status, stdout, stderr }
}
const status = (...flags) => {
  const done = run('status', '-o', 'json', ...flags)
  assert.equal(done.status, 0, done.stderr)
  return JSON.parse(done.stdout)
}
const read = async (key) => {
  const response = await fetch(`${place.url}/rest/v1/notes`, { headers: { apikey: key } })
  await response.arrayBuffer()
  return response.status
}
const own = { CLOCH_JWT_SECRET: '37c304f8-51aa-419a-a1af-06154e63707a' }

test('the keys of the server’s environment are printed, and the server accepts them', async () => {
  running = await start(place, { environment: own })
  const keys = status()
  assert.equal(keys.JWT_SECRET, own.CLOCH_JWT_SECRET)
  assert.deepEqual([await read(keys.ANON_KEY), await read(keys.SERVICE_ROLE_KEY), await read(keys.SECRET_KEY)], [200, 200, 200])
  // These keys are derived from the JWT secret.
  const projects = await fetch(`${place.url}/v1/projects`, { headers: { authorization: `Bearer ${keys.SUPABASE_ACCESS_TOKEN}` } })
  assert.equal(projects.status, 200)
  const mails = await fetch(keys.INBOX_LINK, { redirect: 'manual' })
  assert.ok(mails.status < 400, `${mails.status}`)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('a variable of the terminal does not replace the key of the server', async () => {
  const other = { ...process.env, CLOCH_JWT_SECRET: 'another secret of the terminal, long enough' }
  const done = spawnSync(binary, ['status', '-o', 'json', '--project', place.project, '--data', place.data], { encoding: 'utf8', env: other })
  assert.equal(JSON.parse(done.stdout).JWT_SECRET, own.CLOCH_JWT_SECRET)
})

test('a link for an operator is signed with the server’s key', async () => {
  const listed = run('keys', 'list')
  assert.match(listed.stdout, /^secret\s+secret\s+valid\s+the project's own key$/m)
  const { DASHBOARD_LINK } = status()
  const token = new URL(DASHBOARD_LINK.replace('#', '?')).searchParams
  assert.ok([...token].length > 0, DASHBOARD_LINK)
})

test('a stopped server’s keys are deleted, and those of a killed server are not used', async () => {
  const text = readFileSync(file, 'utf8')
  await running.stop()
  assert.ok(!existsSync(file))
  const stopped = run('status', '-o', 'json')
  assert.equal(stopped.status, 1)
  assert.notEqual(JSON.parse(stopped.stdout).JWT_SECRET, own.CLOCH_JWT_SECRET)

  writeFileSync(file, text, { mode: 0o600 })
  assert.notEqual(JSON.parse(run('status', '-o', 'json').stdout).JWT_SECRET, own.CLOCH_JWT_SECRET)
  running = await start(place)
  assert.notEqual(running.keys.JWT_SECRET, own.CLOCH_JWT_SECRET)
  assert.equal(await read(running.keys.ANON_KEY), 200)
  await running.stop()
})

test('a server with --cli-keys is found without the option, and a migration keeps its password', async () => {
  running = await start(place, { flags: ['--cli-keys'] })
  assert.match(running.keys.DB_URL, /postgres:postgres@/)
  assert.equal(await read(running.keys.ANON_KEY), 200)
  assert.equal(run('db', 'migrate').status, 0)
  const asked = spawnSync('psql', [running.keys.DB_URL, '-Atqc', 'select id from public.notes'], { encoding: 'utf8' })
  assert.equal(asked.stdout.trim(), '7', asked.stderr)
  await running.stop()
})

test('a secret that is only in the server’s environment is not needed in the terminal', async () => {
  const config = join(place.project, 'config.toml')
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n[auth]\njwt_secret = "env(STATUS_TEST_SECRET)"\n`)
  running = await start(place, { environment: { STATUS_TEST_SECRET: own.CLOCH_JWT_SECRET } })
  assert.equal(status().JWT_SECRET, own.CLOCH_JWT_SECRET)
  await running.stop()
  assert.match(run('status').stderr, /auth\.jwt_secret: the value is that of the variable STATUS_TEST_SECRET, which is not set/)
})
