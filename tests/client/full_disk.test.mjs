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
import { askS3 } from '../support/s3.mjs'
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
const stored = async (path, { method = 'POST', body, headers = {} }) => {
  const response = await fetch(`${cloch.url}/storage/v1${path}`, { method, body, headers: { apikey: cloch.serviceKey, authorization: `Bearer ${cloch.serviceKey}`, ...headers } })
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}
const upload = (name, bytes) => stored(`/object/files/${name}`, { body: bytes, headers: { 'content-type': 'text/plain' } })
const beginResumable = (name, bytes) => {
  const metadata = Object.entries({ bucketName: 'files', objectName: name, contentType: 'text/plain' }).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
  return stored('/upload/resumable', { headers: { 'tus-resumable': '1.0.0', 'upload-length': `${bytes}`, 'upload-metadata': metadata.join(',') } })
}
const continueResumable = (location, bytes) =>
  stored(new URL(location).pathname.replace('/storage/v1', ''), { method: 'PATCH', body: bytes, headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' } })
const deploy = async (code) => {
  const body = new FormData()
  body.append('file', new Blob([code]), 'index.ts')
  body.append('metadata', JSON.stringify({ name: 'late', entrypoint_path: 'index.ts' }))
  const headers = { authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}` }
  const response = await fetch(`${cloch.url}/v1/projects/${cloch.keys.PROJECT_REF}/functions/deploy?slug=late`, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text() }
}
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

  assert.equal((await stored('/bucket', { body: JSON.stringify({ id: 'files', name: 'files' }), headers: { 'content-type': 'application/json' } })).status, 200)
  const content = noise(300_000)
  assert.equal((await upload('before.txt', content)).status, 200)
  const begun = await beginResumable('resumed.txt', content.length)
  assert.equal(begun.status, 201, begun.text)

  const filler = join(disk, 'filler')
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'])
  const sql = async () => {
    const query = "insert into notes (body) select string_agg(sha512(random()::text::bytea)::text, '') from generate_series(1, 2000)"
    return send(`/v1/projects/${cloch.keys.PROJECT_REF}/database/query`, { query }, { authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}` })
  }
  await context.test('each API responds with its own error format and the reason', async () => {
    const auth = await signUp('during')
    assert.deepEqual([auth.status, auth.json.code, auth.json.error_code, auth.json.msg], [503, 503, 'unexpected_failure', MESSAGE], auth.text)
    const rest = await insert()
    assert.deepEqual([rest.status, rest.json.code, rest.json.message, rest.retry], [503, '53100', MESSAGE, '1'], rest.text)
    const operators = await sql()
    assert.deepEqual([operators.status, operators.json.message], [503, MESSAGE], operators.text)
    const deployed = await deploy(`Deno.serve(() => new Response('late')) // ${content}`)
    assert.deepEqual([deployed.status, JSON.parse(deployed.text).message], [503, MESSAGE], deployed.text)
    const read = await send('/rest/v1/notes?select=id&limit=1')
    assert.equal(read.status, 200, read.text)
  })
  await context.test('each upload endpoint responds with 507 in its own format, and files can still be read', async () => {
    const refused = await upload('during.txt', content)
    assert.deepEqual([refused.status, JSON.parse(refused.text).code], [507, 'InsufficientStorage'], refused.text)
    const resumed = await continueResumable(begun.location, content)
    assert.deepEqual([resumed.status, /disk is (nearly )?full/.test(resumed.text)], [507, true], resumed.text)
    const created = await beginResumable('during.txt', content.length)
    assert.deepEqual([created.status, /disk is (nearly )?full/.test(created.text)], [507, true], created.text)
    const s3 = await askS3(cloch, 'PUT', '/files/during.txt', { body: content })
    assert.deepEqual([s3.status, /<Code>InsufficientStorage<\/Code>/.test(await s3.text())], [507, true])
    const kept = await stored('/object/files/before.txt', { method: 'GET' })
    assert.deepEqual([kept.status, kept.text], [200, content])
    assert.notEqual((await stored('/object/files/during.txt', { method: 'GET' })).status, 200)
  })
  await context.test('the log contains it once, /metrics counts it, /health and the dashboard show it', async () => {
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
  await context.test('when there is space again, everything works and nothing is lost', async () => {
    rmSync(filler)
    await until(async () => (await send('/health')).status === 200, cloch.output)
    assert.ok([200, 201].includes((await insert()).status))
    assert.equal((await signUp('during')).status, 200)
    assert.equal((await sql()).status, 201)
    assert.equal((await upload('during.txt', content)).status, 200)
    const resumed = await continueResumable(begun.location, content)
    assert.equal(resumed.status, 204, resumed.text)
    assert.equal((await stored('/object/files/resumed.txt', { method: 'GET' })).text, content)
    assert.equal((await askS3(cloch, 'PUT', '/files/s3.txt', { body: content })).status, 200)
    const deployed = await deploy("Deno.serve(() => new Response('late'))")
    assert.equal(deployed.status, 201, deployed.text)
    await until(() => /MB are free again/.test(cloch.output()), cloch.output)
  })
})
