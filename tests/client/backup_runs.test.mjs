/**
 * A restored copy that still has [backup] writes into the target of the original server. The target keeps the two servers apart, the copy logs
 * a warning, and a restore asks which server it should restore. Also tests two further properties of a target: it contains PostgreSQL's
 * version, and the results of drills by an earlier server.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, sleep, start } from '../support/program.mjs'

const environment = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const migration = 'create table public.notes (id bigint primary key);'

let place, target, origin, copy, overlap

const run = (...given) => {
  const { status, stdout, stderr } = spawnSync(binary, given, { env: { ...process.env, ...environment }, timeout: 120_000 })
  return { status, text: `${stdout}${stderr}` }
}
const of = (one) => ['--project', one.project, '--data', one.data]
const restore = (data, ...more) => run('restore', '--from', target, '--data', join(place.folder, data), ...more)
const insert = async (cloch, id) => {
  const client = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  assert.equal((await client.from('notes').insert({ id })).error, null)
}
const said = (one, file) => {
  const path = join(one.data, 'backup', file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}
async function until(what, holds, seconds = 60) {
  for (let attempt = 0; attempt < seconds * 10; attempt += 1) {
    if (await holds()) return
    await sleep(100)
  }
  assert.fail(`not within ${seconds} seconds: ${what()}`)
}
const copied = (one) => {
  const moment = Date.now()
  const is = () => new Date(said(one, 'status.json').restorable_until ?? 0) > moment && said(one, 'status.json').last_base
  return until(() => `${JSON.stringify(said(one, 'status.json'))}\n${one.output()}`, is)
}
const rows = (data) => readFileSync(join(place.folder, data, 'public.notes.1.csv'), 'utf8').trim().split('\n').slice(1)

before(async () => {
  place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  target = join(place.folder, 'target')
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`)
  origin = await start(place, { environment })
  await insert(origin, 1)
  await copied(origin)
})
after(async () => {
  await copy?.remove()
  await origin.remove()
})

test('a moment without a time zone, and an uninstalled version of PostgreSQL, are refused with a correction', () => {
  const wrong = restore('none', '--to', 'yesterday')
  assert.notEqual(wrong.status, 0)
  assert.match(wrong.text, /is no date and time with a zone: write it as 2026-11-23T14:30:00Z/)
  const from = join(place.folder, 'newer')
  cpSync(target, from, { recursive: true })
  for (const name of readdirSync(from, { recursive: true })) {
    const file = join(from, name)
    if (name.endsWith('manifest.json')) writeFileSync(file, readFileSync(file, 'utf8').replace(/"postgres": "\d+"/, '"postgres": "99"').replace(/,\s+"sha256": "[0-9a-f]+"\s+\}$/, '}'))
    // The check must fail before it downloads anything. Therefore the files that it would download are removed.
    if (/tar\.\d+$/.test(name)) rmSync(file)
  }
  const { status, text } = run('restore', '--from', from, '--data', join(place.folder, 'none'), '--allow-unauthenticated')
  assert.notEqual(status, 0)
  assert.match(text, /the backup is of PostgreSQL 99, .* install those of 99 .*apt-get install postgresql-99.*CLOCH_POSTGRES_BIN/)
})

test('a copy that writes into the target of its original server is reported', async () => {
  const data = join(place.folder, 'copy')
  const restored = restore('copy')
  assert.equal(restored.status, 0, restored.text)
  assert.ok(restored.text.includes(`run: ${said(origin, 'state.json').series} of `) && restored.text.includes(place.data), restored.text)
  const other = await makeProject({ from: join(data, 'project'), change: (config) => config })
  const file = join(other.project, 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^port = \d+$/m, `port = ${other.port}`).replace(/(\[db\]\nport = )\d+/, `$1${other.port + 1}`))
  copy = await start({ ...other, data }, { environment })
  await insert(copy, 3)
  await copied(copy)
  await until(() => copy.output(), () => /another server writes its backup into the same target/.test(copy.output()), 40)
  const { status, text } = run('backup', 'status', ...of(copy))
  assert.notEqual(status, 0)
  assert.ok(text.includes(`Another run  ${said(origin, 'state.json').series} of `), text)
  await insert(origin, 2)
  await copied(origin)
  overlap = new Date().toISOString()
  await sleep(1500)
  await copied(origin)
})

test('a drill tests the backup of its own server', () => {
  const made = run('backup', 'drill', ...of(origin))
  assert.equal(made.status, 0, `${made.text}\n${origin.output()}`)
  assert.ok(said(origin, 'status.json').last_good_drill)
})

test('a restore of a moment that two servers cover requires a choice', async () => {
  await copied(copy)
  await origin.kill()
  await sleep(1500)
  await insert(copy, 4)
  await copied(copy)
  const [own, others] = [said(origin, 'state.json').series, said(copy, 'state.json').series]
  const list = run('backup', 'list', '--from', target)
  assert.match(list.text, new RegExp(`Run ${own} of [^]*Every moment from [^]*Run ${others} of [^]*Every moment from `))
  for (const to of [[], ['--to', overlap]]) {
    const { status, text } = restore('either', ...to)
    assert.notEqual(status, 0, text)
    assert.match(text, new RegExp(`several servers wrote [^]*--run ${own} of [^]*--run ${others} of `))
  }
  for (const [series, to, expected] of [[own, [], ['1', '2']], [own, ['--to', overlap], ['1', '2']], [others, [], ['1', '3', '4']]]) {
    const name = `taken-${series}-${to.length}`
    const { status, text } = restore(name, '--run', series, ...to, '--only', 'table:notes')
    assert.equal(status, 0, text)
    assert.deepEqual(rows(name), expected)
  }
  assert.match(restore('either', '--run', 'nobody').text, /the target holds no run nobody[^]*--run/)
})

test('a series that has ended with a damaged end can be restored up to its last base backup', async () => {
  const series = said(origin, 'state.json').series
  const folder = join(target, 'v2/series', series)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  writeFileSync(join(folder, 'point.json'), readFileSync(join(folder, 'point.json')).subarray(0, 100))
  const damaged = run('backup', 'check', ...of(copy))
  assert.match(damaged.text, /point\.json is damaged/)
  assert.equal(run('backup', 'now', ...of(copy)).status, 0)
  assert.match(run('backup', 'check', ...of(copy)).text, /point\.json is damaged/, 'its server may run')
  for (const path of paths) utimesSync(path, new Date(Date.now() - 7_200_000), new Date(Date.now() - 7_200_000))
  assert.equal(run('backup', 'now', ...of(copy)).status, 0)
  const whole = run('backup', 'check', ...of(copy))
  assert.equal(whole.status, 0, `${whole.text}\n${copy.output()}`)
  assert.match(copy.output(), /can be restored only up to its last base backup/)
  const { status, text } = restore('taken-base', '--run', series, '--only', 'table:notes')
  assert.equal(status, 0, text)
  assert.deepEqual(rows('taken-base'), ['1'])
})

test('a file that cannot be copied again is named, and does not block other files', async () => {
  await copy.stop()
  rmSync(target, { recursive: true })
  rmSync(join(place.data, 'backup/state.json'))
  origin = await start(place, { environment })
  await copied(origin)
  const find = (pattern) => readdirSync(target, { recursive: true }).filter((name) => pattern.test(name)).sort().map((name) => join(target, name))
  // Damages both the settings archive and the log that the base backup needs.
  for (const file of [find(/\/settings\//)[0], find(/\/wal\//)[0]]) writeFileSync(file, readFileSync(file).subarray(1))
  const found = run('backup', 'check', ...of(origin))
  assert.notEqual(found.status, 0)
  assert.match(found.text, /2 parts of the backup are damaged or missing[^]*log \(1\): the log cannot be copied again[^]*secrets and project \(1\): `cloch backup now`/)
  const made = run('backup', 'now', ...of(origin))
  assert.equal(made.status, 0, made.text)
  const status = run('backup', 'status', ...of(origin))
  assert.equal(status.status, 0, `${status.text}${origin.output()}`)
  const after = run('backup', 'check', ...of(origin))
  assert.equal(after.status, 0, after.text)
  const restored = restore('repaired', '--only', 'table:notes')
  assert.equal(restored.status, 0, restored.text)
  assert.equal(run('backup', 'drill', ...of(origin)).status, 0)
  await origin.kill()
})

test('a replaced target has no drills yet', async () => {
  rmSync(target, { recursive: true })
  rmSync(join(place.data, 'backup/state.json'))
  origin = await start(place, { environment })
  await copied(origin)
  assert.equal(said(origin, 'status.json').last_good_drill, null)
  assert.match(run('backup', 'status', ...of(origin)).text, /Last good drill {2}none/)
})
