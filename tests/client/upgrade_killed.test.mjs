/**
 * The test kills `cloch upgrade` at each of its steps. The next start serves the old data, and the next upgrade completes. After an upgrade, the
 * operator can bring the old cluster back. CLOCH_TEST_NEWER_POSTGRES: folder with the programs of the newer version.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, sleep, start } from '../support/program.mjs'

const named = process.env.CLOCH_TEST_NEWER_POSTGRES
const versions = (existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : []).filter((name) => existsSync(`/usr/lib/postgresql/${name}/bin/initdb`))
const older = versions.filter((version) => Number(version) < 18).sort((a, b) => b - a)[0]
const skip = !named || !existsSync(join(named, 'pg_upgrade')) ? 'CLOCH_TEST_NEWER_POSTGRES names no PostgreSQL' : older ? false : 'no older PostgreSQL in /usr/lib/postgresql'
const oldPrograms = `/usr/lib/postgresql/${older}/bin`
const migration = `
create table public.notes (id bigint generated always as identity primary key, body text not null);
insert into public.notes (body) select 'note ' || n from generate_series(1, 500) as n;
`

let place, programs, newer, cloch
const environment = (folder) => ({ ...process.env, CLOCH_POSTGRES_BIN: folder })
const args = (...more) => ['upgrade', '--project', place.project, '--data', place.data, ...more]
const upgrade = (...more) => {
  const { status, stdout, stderr } = spawnSync(binary, args(...more), { env: environment(newer), encoding: 'utf8', timeout: 200_000 })
  return { status, text: `${stdout}${stderr}` }
}
const cluster = () => realpathSync(join(place.data, 'db'))
const beside = (name) => join(dirname(cluster()), name)
const version = (folder = 'db') => readFileSync(join(beside(folder), 'PG_VERSION'), 'utf8').trim()
const folders = () => readdirSync(dirname(cluster())).filter((name) => /^db/.test(name)).sort()
const serves = async (folder) => {
  cloch = await start(place, { environment: { CLOCH_POSTGRES_BIN: folder } })
  const client = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  const { count, error } = await client.from('notes').select('*', { count: 'exact', head: true })
  await cloch.stop()
  assert.equal(error, null)
  return count
}
/** Starts an upgrade and kills it when the condition is true. */
async function killed(holds) {
  const child = spawn(binary, args(), { env: environment(newer), stdio: 'ignore' })
  const ended = new Promise((done) => child.once('exit', (code, signal) => done(signal)))
  const deadline = performance.now() + 150_000
  while (!holds() && child.exitCode === null && performance.now() < deadline) await sleep(2)
  child.kill('SIGKILL')
  return ended
}

before(async () => {
  if (skip) return
  // The account of PostgreSQL must be able to read the programs.
  programs = mkdtempSync(join(tmpdir(), 'cloch-test-postgres-'))
  cpSync(join(named, '../../..'), programs, { recursive: true, verbatimSymlinks: true })
  spawnSync('chmod', ['-R', 'a+rX', programs])
  newer = join(programs, basename(join(named, '../..')), basename(join(named, '..')), 'bin')
  place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  assert.equal(await serves(oldPrograms), 500)
})
after(async () => {
  if (skip) return
  await cloch?.remove()
  rmSync(programs, { recursive: true, force: true })
})

const steps = {
  'the old database was opened': () => existsSync(join(cluster(), 'postmaster.pid')),
  'the folder for the new one was made': () => existsSync(beside('db.upgrade')),
  'the new one was made': () => existsSync(beside('db.upgraded/PG_VERSION')),
  'pg_upgrade runs servers': () => existsSync(beside('db.upgraded/postmaster.pid')) || existsSync(beside('db.upgraded/pg_upgrade_output.d')),
  // pg_upgrade writes this script last. A moment later, the upgrade exchanges the old folder and the new folder.
  'the copy is complete': () => existsSync(beside('db.upgrade/delete_old_cluster.sh')) || version() !== older,
}
for (const [step, holds] of Object.entries(steps)) {
  test(`killed when ${step}, a whole database is served`, { skip }, async () => {
    assert.equal(await killed(holds), 'SIGKILL', 'the upgrade was killed before its end')
    // Between the last two steps, the new cluster may already be in its place. Both clusters are complete.
    const now = version()
    assert.equal(await serves(now === older ? oldPrograms : newer), 500)
    if (now !== older) putBack()
    assert.deepEqual([version(), folders()], [older, ['db']], 'what the upgrade has made is gone')
  })
}

/** Brings the old cluster back as in docs/operations/upgrade.md: while the server is stopped, deletes `db` and renames the kept folder. */
function putBack() {
  const folder = cluster()
  rmSync(folder, { recursive: true })
  renameSync(`${folder}-${older}`, folder)
}

test('killed when the two have changed places, the new database is served, and the old one is kept', { skip }, async () => {
  assert.equal(await killed(() => version() === '18'), 'SIGKILL')
  assert.equal(await serves(newer), 500)
  assert.deepEqual([version(), folders()], ['18', ['db', `db-${older}`]])
  const again = upgrade()
  assert.equal(again.status, 0, again.text)
  assert.match(again.text, /is of the newest PostgreSQL on this machine/)
})

test('the old database is put back after an upgrade', { skip }, async () => {
  putBack()
  assert.equal(await serves(oldPrograms), 500)
  assert.deepEqual([version(), folders()], [older, ['db']])
})

test('an upgrade that follows at once on a killed one ends', { skip }, async () => {
  assert.equal(await killed(steps['pg_upgrade runs servers']), 'SIGKILL')
  const again = upgrade()
  assert.equal(again.status, 0, again.text)
  assert.deepEqual([version(), folders()], ['18', ['db', `db-${older}`]])
  assert.equal(await serves(newer), 500)
  assert.match(upgrade('--remove-old').text, new RegExp(`Deleted .*db-${older}`))
  assert.deepEqual(folders(), ['db'])
  assert.equal(await serves(newer), 500)
})
