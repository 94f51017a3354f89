/** examples/python-worker: jobs are processed, no client can process or forge jobs, a killed worker loses no job, and cron writes totals. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@supabase/supabase-js'

import { startProject } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const example = resolve(import.meta.dirname, '../../examples/python-worker')
const started = []
let cloch
let owner
let service
before(async () => {
  cloch = await startProject({ from: join(example, 'supabase') })
  owner = createClient(cloch.url, cloch.anonKey)
  service = createClient(cloch.url, cloch.keys.SECRET_KEY)
  const { error } = await owner.auth.signUp({ email: 'anne@example.org', password: 'a long password' })
  assert.equal(error, null)
})
after(async () => {
  started.forEach((child) => child.kill())
  await cloch?.remove()
})

function worker(key = cloch.keys.SECRET_KEY) {
  const child = spawn('python3', [join(example, 'worker.py')], { env: { ...process.env, SUPABASE_URL: cloch.url, SUPABASE_SECRET_KEY: key } })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (output += piece))
  return { child, output: () => output, ended: new Promise((done) => child.once('exit', done)) }
}
const words = async (id) => (await owner.from('documents').select('words, error').eq('id', id).single()).data
const counted = (id) => until(async () => (await words(id)).words !== null, `document ${id} is counted`)
const add = async (body) => {
  const { error } = await owner.from('documents').insert({ body })
  assert.equal(error, null)
  return (await owner.from('documents').select('id').order('id', { ascending: false }).limit(1).single()).data.id
}

test('clients can neither take jobs nor write results, and a worker without the secret key exits', async () => {
  const visitor = createClient(cloch.url, cloch.anonKey)
  for (const client of [visitor, owner]) {
    assert.equal((await client.rpc('take_job')).error.code, '42501')
    assert.equal((await client.rpc('finish_job', { message: 1, document: 1, words: 1 })).error.code, '42501')
    assert.notEqual((await client.from('documents').insert({ body: 'x', words: 5 })).error, null)
  }
  assert.deepEqual((await visitor.from('totals').select()).data ?? [], [])
  for (const [key, message] of [['', /SUPABASE_SECRET_KEY is missing/], [cloch.anonKey, /the key is refused/]]) {
    const refused = worker(key)
    assert.equal(await refused.ended, 1)
    assert.match(refused.output(), message)
  }
})

test('a job that a worker took and lost is done by another worker', { timeout: 180_000 }, async () => {
  const id = await add('one two three')
  // Simulates a worker that takes the job and is then killed.
  const { data: taken } = await service.rpc('take_job')
  assert.deepEqual(taken.map(({ document, body }) => [document, body]), [[id, 'one two three']])
  assert.deepEqual((await service.rpc('take_job')).data, [], 'invisible meanwhile')
  const { child, output, ended } = worker()
  const other = await add("Tide's at nine.")
  await counted(other)
  assert.equal((await words(other)).words, 4)
  await counted(id)
  assert.equal((await words(id)).words, 3)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.match(output(), new RegExp(`document ${id}: 3 words`))
  assert.deepEqual((await service.rpc('take_job')).data, [], 'the queue is empty')
})

test('a job for a document that was deleted is skipped', async () => {
  const [gone, kept] = [await add('gone'), await add('still here')]
  await service.from('documents').delete().eq('id', gone)
  const { data } = await service.rpc('take_job')
  assert.deepEqual(data.map(({ document }) => document), [kept])
  await service.rpc('finish_job', { message: data[0].message, document: kept, words: 2 })
})

test('cron writes totals every minute', { timeout: 180_000 }, async () => {
  await until(async () => (await service.from('totals').select('words').gt('words', 0)).data.length > 0, 'totals are written', 120_000)
})
