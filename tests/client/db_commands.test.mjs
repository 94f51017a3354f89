/** Runs `cloch db` while the server runs and while the server of another folder runs, and interrupts the command. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, freePort, makeProject, removePlace, sleep, start } from '../support/program.mjs'

const notes = `create table public.notes (id bigint primary key); grant all on public.notes to service_role;`
const run = (place, ...given) =>
  spawnSync(binary, [...given, '--project', place.project, '--data', place.data], { encoding: 'utf8', timeout: 60_000 })

let place, cloch, service
before(async () => {
  place = await makeProject({ from: null, files: { 'migrations/20260101000000_notes.sql': notes } })
  cloch = await start(place)
  service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  assert.equal((await service.from('notes').insert({ id: 1 })).error, null)
})
after(() => cloch?.remove())

test('commands for another data folder do not use the database of a server with the same keys and port', async () => {
  const dump = join(place.folder, 'before.dump')
  assert.equal(run(place, 'db', 'dump', dump).status, 0)
  assert.equal((await service.from('notes').insert({ id: 2 })).error, null)
  const other = { ...place, data: join(place.folder, 'other') }
  mkdirSync(other.data)
  copyFileSync(join(place.data, 'secrets.toml'), join(other.data, 'secrets.toml'))
  const restored = run(other, 'db', 'restore', dump, '--yes')
  assert.equal(restored.status, 1)
  assert.match(restored.stderr, /port \d+ .*(taken|in use)/)
  const dumped = run(other, 'db', 'dump', join(place.folder, 'other.dump'))
  assert.equal(dumped.status, 1)
  assert.equal(existsSync(join(place.folder, 'other.dump')), false)
  assert.deepEqual((await service.from('notes').select().order('id')).data, [{ id: 1 }, { id: 2 }])
})

test('commands that need an existing database create none, and print the data folder', () => {
  const empty = { ...place, data: join(place.folder, 'nothing here') }
  const file = join(place.folder, 'empty.dump')
  for (const words of [['db', 'dump', file], ['export', '--dir', join(place.folder, 'exported')], ['operators', 'list'], ['operators', 'link'], ['keys', 'list'], ['keys', 'new', 'secret']]) {
    const { status, stderr } = run(empty, ...words)
    assert.equal(status, 1, words.join(' '))
    assert.ok(stderr.includes(`no database found in the data folder ${empty.data}: name the server's data folder with --data`), `${words.join(' ')}: ${stderr}`)
  }
  assert.deepEqual([existsSync(empty.data), existsSync(file), existsSync(join(place.folder, 'exported'))], [false, false, false])
})

test('migrate applies a new file while the server runs, and the server serves it at once', async () => {
  writeFileSync(join(place.project, 'migrations/20260102000000_more.sql'), notes.replaceAll('notes', 'more'))
  const migrated = run(place, 'db', 'migrate')
  assert.equal(migrated.status, 0, migrated.stderr)
  for (let tries = 0; (await service.from('more').select()).error; tries += 1) {
    assert.ok(tries < 50, 'the server does not see the table')
    await sleep(100)
  }
})

test('two migrations with the same version are refused with their names', () => {
  const twin = join(place.project, 'migrations/20260102000000_twin.sql')
  writeFileSync(twin, 'select 1')
  const refused = run(place, 'db', 'migrate')
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /20260102000000_more\.sql and migrations\/20260102000000_twin\.sql have the same version/)
})

test('an error of the database is printed without a line of its own source', async () => {
  const url = new URL(cloch.keys.DB_URL)
  url.pathname = '/nowhere'
  const given = ['start', '--port', String(await freePort()), '--project', place.project, '--data', join(place.folder, 'external')]
  const { stderr } = spawnSync(binary, given, { encoding: 'utf8', timeout: 60_000, env: { ...process.env, CLOCH_DB_URL: url.href } })
  assert.match(stderr, /database "nowhere" does not exist\n/)
})

for (const signal of ['SIGINT', 'SIGTERM'])
  test(`a migration that is ended by ${signal} leaves no database running, and the next one succeeds`, async () => {
    const slow = await makeProject({ from: null, files: { 'migrations/20260101000000_notes.sql': `${notes} select pg_sleep(60);` } })
    try {
      const child = spawn(binary, ['db', 'migrate', '--project', slow.project, '--data', slow.data], { stdio: 'ignore' })
      const ended = new Promise((done) => child.once('exit', done))
      const pid = () => Number(readFileSync(join(slow.data, 'db/postmaster.pid'), 'utf8').split('\n')[0])
      const isReady = () => existsSync(join(slow.data, 'db/postmaster.pid')) && /ready/.test(readFileSync(join(slow.data, 'db/postmaster.pid'), 'utf8'))
      for (let tries = 0; !isReady(); tries += 1) {
        assert.ok(tries < 600, 'no database')
        await sleep(50)
      }
      await sleep(3000)
      const postmaster = pid()
      child.kill(signal)
      assert.equal(await ended, 1)
      for (let tries = 0; existsSync(`/proc/${postmaster}/cmdline`); tries += 1) {
        assert.ok(tries < 200, 'the database still runs')
        await sleep(50)
      }
      writeFileSync(join(slow.project, 'migrations/20260101000000_notes.sql'), notes)
      const again = run(slow, 'db', 'migrate')
      assert.equal(again.status, 0, again.stderr)
    } finally {
      removePlace(slow)
    }
  })
