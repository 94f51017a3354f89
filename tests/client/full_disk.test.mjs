/**
 * A full disk. Every API responds with 503, with the reason, and in its own error format. The log, /health, /metrics and the dashboard report the
 * full disk. When there is space again, everything works again.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { firstOperator } from '../support/dashboard.mjs'
import { makeProject, removePlace, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const MESSAGE = "The database's disk is full: nothing can be stored until the operator frees some space"
const migration = 'create table public.notes (id int generated always as identity primary key, body text);'
/** Returns bytes that PostgreSQL cannot compress, so that a table needs new blocks for them. */
const noise = (bytes) => randomBytes(bytes).toString('base64')

let cloch, disk, place
after(async () => {
  await cloch?.stop()
  if (disk) spawnSync('umount', ['-l', disk])
  if (place) removePlace(place)
})

/** Prepares a small disk for the data folder. @returns whether this account may mount a disk */
async function prepare() {
  place = await makeProject({ from: null, fresh: true, files: { 'migrations/1_notes.sql': migration } })
  disk = join(place.folder, 'disk')
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=755', 'none', disk]).status !== 0) return false
  place.data = join(disk, 'data')
  cloch = await start(place)
  return true
}

const send = async (path, body, headers = {}) => {
  const response = await fetch(`${cloch.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { apikey: cloch.serviceKey, authorization: `Bearer ${cloch.serviceKey}`, 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, retry: response.headers.get('retry-after'), text, json: text.startsWith('{') ? JSON.parse(text) : undefined }
}

const signUp = (name) => send('/auth/v1/signup', { email: `${name}@example.org`, password: 'Greenock pier', data: { noise: noise(12_000) } })
const insert = () => send('/rest/v1/notes', { body: noise(150_000) })
const counted = async () => Number(/^cloch_disk_full_errors_total (\d+)/m.exec((await send('/metrics')).text)?.[1])

test('a full disk', async (context) => {
  if (!(await prepare())) return context.skip('this account may not mount a tmpfs')
  const owner = await firstOperator(cloch)
  assert.equal((await owner.must('GET', '/project')).disk.is_full, false)
  assert.ok([200, 201].includes((await insert()).status))
  assert.equal((await signUp('before')).status, 200)
  assert.equal((await send('/health')).json.status, 'ok')
  assert.equal(await counted(), 0)

  const filler = join(disk, 'filler')
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'])
  const sql = async () => {
    const query = "insert into notes (body) select string_agg(sha512(random()::text::bytea)::text, '') from generate_series(1, 2000)"
    return send(`/v1/projects/${cloch.keys.PROJECT_REF}/database/query`, { query }, { authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}` })
  }
  await context.test('each API answers in its own form, with the reason', async () => {
    const auth = await signUp('during')
    assert.deepEqual([auth.status, auth.json.code, auth.json.error_code, auth.json.msg], [503, 503, 'unexpected_failure', MESSAGE], auth.text)
    const rest = await insert()
    assert.deepEqual([rest.status, rest.json.code, rest.json.message, rest.retry], [503, '53100', MESSAGE, '1'], rest.text)
    const operators = await sql()
    assert.deepEqual([operators.status, operators.json.message], [503, MESSAGE], operators.text)
    const read = await send('/rest/v1/notes?select=id&limit=1')
    assert.equal(read.status, 200, read.text)
  })
  await context.test('the log says it once, /metrics counts, /health and the dashboard show it', async () => {
    await insert()
    const lines = cloch.output().match(/writing failed, the database's disk is full/g)
    assert.equal(lines?.length, 1, cloch.output())
    assert.ok((await counted()) >= 4)
    // The log may contain an earlier line that the disk is nearly full.
    await until(() => /disk: the disk of \S+ is full/.test(cloch.output()), cloch.output)
    const health = await send('/health')
    assert.deepEqual([health.status, health.json.status, health.json.reason], [503, 'unavailable', 'disk'], health.text)
    assert.match(health.json.message, /is full: 0 of 400 MB are free/)
    const stranger = await (await fetch(`${cloch.url}/health`)).json()
    assert.deepEqual(stranger, { status: 'unavailable' })
    assert.equal((await fetch(`${cloch.url}/health/live`)).status, 200)
    const { disk: shown } = await owner.must('GET', '/project')
    assert.deepEqual([shown.is_full, shown.is_low], [true, true])
  })
  await context.test('with space again, everything works and nothing is lost', async () => {
    rmSync(filler)
    await until(async () => (await send('/health')).status === 200, cloch.output)
    assert.ok([200, 201].includes((await insert()).status))
    assert.equal((await signUp('during')).status, 200)
    assert.equal((await sql()).status, 201)
    await until(() => /MB are free again/.test(cloch.output()), cloch.output)
  })
})
