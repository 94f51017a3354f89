/** supabase-py, unmodified: the scenarios of tests/clients/python, and the program of docs/clients.md. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { checkTable, snippets } from '../clients/document.mjs'
import { resetRows, startClub } from '../clients/project.mjs'

const python = process.env.CLOCH_TEST_PYTHON ?? 'python3'
const installed = spawnSync(python, ['-c', 'import supabase; print(supabase.__version__)'], { encoding: 'utf8' })
const skip = installed.status === 0 ? false : 'the Python package supabase is not installed'
const folder = mkdtempSync(join(tmpdir(), 'cloch-python-'))
const scenarios = { sync: 'sync_client.py', async: 'async_client.py', realtime: 'realtime_client.py', vectors: 'vectors_client.py' }
const results = []
let server

before(async () => {
  if (!skip) server = await startClub()
})
after(async () => {
  await server?.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a Python program with the project's URL and keys. */
function run(file) {
  const environment = { SUPABASE_URL: server.url, SUPABASE_ANON_KEY: server.anonKey, SUPABASE_SERVICE_ROLE_KEY: server.serviceKey, PYTHONDONTWRITEBYTECODE: '1' }
  const child = spawn(python, [file], { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.on('data', (part) => (output += part))
  child.stderr.on('data', (part) => (errors += part))
  return new Promise((done) => child.on('close', (status) => done({ status, output, errors })))
}

for (const [name, file] of Object.entries(scenarios)) {
  test(`supabase-py, ${name}`, { skip }, async (context) => {
    await resetRows(server)
    const { status, output, errors } = await run(join(import.meta.dirname, '../clients/python', file))
    assert.equal(status, 0, errors)
    const steps = output.trim().split('\n').map((line) => JSON.parse(line))
    for (const { step, error } of steps) await context.test(step, () => assert.equal(error, null))
    results.push([`Python: supabase ${installed.stdout.trim()}, ${name}`, steps.length, steps.filter(({ error }) => error === null).length, 'none'])
    assert.deepEqual(steps.filter(({ error }) => error !== null), [])
  })
}

test('the Python program of docs/clients.md runs', { skip }, async () => {
  const service = createClient(server.url, server.serviceKey, { auth: { persistSession: false } })
  await service.auth.admin.createUser({ email: 'ann@club.example', password: 'Greenock pier', email_confirm: true })
  await service.storage.createBucket('files', { public: true })
  const [program, ...others] = snippets('python')
  assert.deepEqual(others, [])
  writeFileSync(join(folder, 'program.py'), program)
  const { status, output, errors } = await run(join(folder, 'program.py'))
  assert.deepEqual([status, output], [0, 'Meet at the pier\nhello\n'], errors)
})

test('docs/clients.md contains the results of the steps', { skip }, () => {
  checkTable('python', ['client', 'steps', 'right', 'deliberately different'], results)
})
