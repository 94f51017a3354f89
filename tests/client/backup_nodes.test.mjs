/**
 * Two nodes share a database and an object store, and have the same [backup] section. Both use a new target. Each node copies the files that it
 * accepts, and also files that another node accepted before that node was lost. The database belongs to another running `cloch`, which represents the
 * database provider.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, sleep, start } from '../support/program.mjs'

const passphrase = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const migration = `insert into storage.buckets (id, name, public) values ('files', 'files', false);`

let provider, places, nodes, target, environment
const bucket = (node) => createClient(node.url, node.serviceKey, { auth: { persistSession: false } }).storage.from('files')
const upload = async (node, name) => {
  const { error } = await bucket(node).upload(name, `bytes of ${name}`)
  assert.equal(error, null)
}
const run = (args) => {
  const { status, stdout, stderr } = spawnSync(binary, args, { env: { ...process.env, ...environment }, encoding: 'utf8', timeout: 120_000 })
  return { status, text: `${stdout}${stderr}` }
}
const status = (place) => {
  const file = join(place.data, 'backup/status.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
async function copied(node) {
  const moment = Date.now()
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (new Date(status(node).restorable_until ?? 0) > moment && status(node).last_base) return
    await sleep(100)
  }
  assert.fail(`${JSON.stringify(status(node))}\n${node.output()}`)
}
/** Restores the files. Returns their names and checks their bytes. */
function restored() {
  const data = join(provider.folder, 'restored')
  const { status, text } = run(['restore', '--from', target, '--data', data, '--only', 'bucket:files'])
  assert.equal(status, 0, text)
  const names = readdirSync(join(data, 'files')).sort()
  for (const name of names) assert.equal(readFileSync(join(data, 'files', name), 'utf8'), `bytes of ${name}`)
  rmSync(data, { recursive: true })
  return names
}

before(async () => {
  provider = await start(await makeProject({ from: null }))
  target = join(provider.folder, 'target')
  const secrets = join(provider.data, 'secrets.toml')
  const database = new URL(provider.keys.DB_URL)
  database.username = 'supabase_admin'
  database.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(secrets, 'utf8'))[1]
  environment = { ...passphrase, CLOCH_DB_URL: database.href }
  const files = { 'migrations/1_bucket.sql': migration, 'cloch.toml': `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n` }
  places = await Promise.all([makeProject({ from: null, files }), makeProject({ from: null, files })])
  const objects = join(provider.folder, 'shared')
  mkdirSync(objects)
  for (const place of places) {
    mkdirSync(place.data, { recursive: true })
    copyFileSync(secrets, join(place.data, 'secrets.toml'))
    symlinkSync(objects, join(place.data, 'objects'))
  }
  nodes = await Promise.all(places.map((place) => start(place, { environment })))
})
after(async () => {
  for (const node of nodes ?? []) await node.remove()
  await provider?.remove()
})

test('two nodes that begin a target at the same time share it, and the data of both can be read', async () => {
  await upload(nodes[0], 'a.txt')
  await upload(nodes[1], 'b.txt')
  await Promise.all(nodes.map(copied))
  assert.deepEqual(restored(), ['a.txt', 'b.txt'])
  const [one, other] = places.map((place) => JSON.parse(readFileSync(join(place.data, 'backup/state.json'), 'utf8')))
  assert.equal(one.target, other.target)
  assert.notEqual(one.series, other.series)
})

test('a node copies files that another node had accepted before it was lost', async () => {
  await nodes[0].kill()
  // Without cloch.toml, this node makes no backup. When the node is lost, no backup contains its upload.
  const file = join(places[0].project, 'cloch.toml')
  const settings = readFileSync(file, 'utf8')
  writeFileSync(file, '')
  nodes[0] = await start(places[0], { environment })
  await upload(nodes[0], 'c.txt')
  await nodes[0].kill()
  const missing = run(['restore', '--from', target, '--data', join(provider.folder, 'missing'), '--only', 'bucket:files'])
  assert.notEqual(missing.status, 0)
  assert.match(missing.text, /the content of 1 of 3 files is missing or damaged in the backup: files\/c.txt/)
  const now = run(['backup', 'now', '--project', places[1].project, '--data', places[1].data])
  assert.equal(now.status, 0, `${now.text}${nodes[1].output()}`)
  assert.deepEqual(restored(), ['a.txt', 'b.txt', 'c.txt'])
  writeFileSync(file, settings)
})

test('the lost node continues after it returns', async () => {
  const { series } = JSON.parse(readFileSync(join(places[0].data, 'backup/state.json'), 'utf8'))
  nodes[0] = await start(places[0], { environment })
  await upload(nodes[0], 'd.txt')
  await copied(nodes[0])
  assert.deepEqual(restored(), ['a.txt', 'b.txt', 'c.txt', 'd.txt'])
  assert.equal(JSON.parse(readFileSync(join(places[0].data, 'backup/state.json'), 'utf8')).series, series)
  assert.equal(run(['backup', 'check', '--project', places[0].project, '--data', places[0].data]).status, 0)
})
