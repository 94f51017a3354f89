/** Functions on several nodes with one database. If a version is deployed, rolled back or removed on one node, this takes effect on all nodes. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { deno } from '../support/deno.mjs'
import { binary, makeProject, sleep, start, startProject } from '../support/program.mjs'

const run = promisify(execFile)
/** Code in two files. Both contain the same version number, so the response shows if the files of two versions were mixed. */
const code = (version) => ({
  'index.ts': `import { other } from "./other.ts"; Deno.serve(() => Response.json(["${version}", other, Deno.env.get("NODE")]));`,
  'other.ts': `export const other = "${version}";`,
})
const write = (place, name, version) => {
  for (const [file, text] of Object.entries(code(version))) {
    mkdirSync(join(place.project, 'functions', name), { recursive: true })
    writeFileSync(join(place.project, 'functions', name, file), text)
  }
}

let database, environment, first, second
/** Creates a node with the keys of the database, and without a function in its folder. */
const makeNode = async (name) => {
  const place = await makeProject({ from: null, files: { 'functions/.env': `NODE=${name}\n` } })
  mkdirSync(place.data, { recursive: true })
  copyFileSync(join(database.data, 'secrets.toml'), join(place.data, 'secrets.toml'))
  return place
}
const command = async (place, ...args) =>
  (await run(binary, ['functions', ...args, '--project', place.project, '--data', place.data], { env: { ...process.env, ...environment } })).stdout
/** Calls a function. Only the uploaded function accepts calls without a key. */
const ask = (node, name) => fetch(`${node.url}/functions/v1/${name}`, { headers: name === 'sent' ? {} : { authorization: `Bearer ${node.anonKey}` } })
const answer = async (node, name) => {
  const got = await ask(node, name)
  return got.status === 200 ? got.json() : [got.status]
}
/**
 * Expects that a node serves a version after some time. The files must belong to the same version, and the node's own variables must be used. An
 * upload has no variables.
 */
const serves = async (node, name, version, own) => {
  let got
  for (let tries = 0; tries < 300; tries++) {
    got = await answer(node, name)
    if (got[0] === version) return assert.deepEqual(got, own === undefined ? [version] : [version, version, own])
    await sleep(50)
  }
  assert.fail(`${name} answers ${got}, not ${version}: ${node.output().slice(-2000)}`)
}
const sql = (text) => execFileSync('psql', [environment.CLOCH_DB_URL, '-qAtXc', text]).toString().trim()

before(async () => {
  database = await startProject({ from: null })
  const url = new URL(database.keys.DB_URL)
  url.username = 'supabase_admin'
  url.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(database.data, 'secrets.toml'), 'utf8'))[1]
  environment = { CLOCH_DENO: deno, CLOCH_DB_URL: url.href }
  const places = [await makeNode('one'), await makeNode('two')]
  // Deploys a version before this node shares its database with another node.
  write(places[0], 'early', 'early')
  execFileSync(binary, ['functions', 'deploy', 'early', '--project', places[0].project, '--data', places[0].data])
  first = await start(places[0], { environment })
  second = await start(places[1], { environment })
})
after(async () => {
  for (const one of [second, first, database]) await one?.remove()
})

test('neither visitors, users nor the service key can read the versions', () => {
  for (const role of ['anon', 'authenticated', 'service_role']) {
    for (const table of ['function_versions', 'deployed_functions']) {
      assert.equal(sql(`select has_table_privilege('${role}', 'cloch.${table}', 'select, insert, update, delete')`), 'f')
    }
    for (const routine of ['reserve_function_version(text)', 'serve_function_version(text, bigint, integer)', 'remove_function(text)']) {
      assert.equal(sql(`select has_function_privilege('${role}', 'cloch.${routine}', 'execute')`), 'f')
    }
  }
})

test('a version that one node had deployed alone is served by all nodes; each node uses its own variables', async () => {
  await serves(first, 'early', 'early', 'one')
  await serves(second, 'early', 'early', 'two')
  const archive = Buffer.from(sql("select encode(archive, 'base64') from cloch.function_versions"), 'base64')
  const files = execFileSync('tar', ['tzf', '-'], { input: archive }).toString()
  assert.match(files, /functions\/early\/index\.ts/)
  assert.doesNotMatch(files, /\.env/)
})

test('a deploy, a rollback and a removal on one node take effect on the other node, and no request fails', async () => {
  write(first, 'shared', 'version 1')
  assert.match(await command(first, 'deploy', 'shared'), /shared: version 1/)
  await Promise.all([serves(first, 'shared', 'version 1', 'one'), serves(second, 'shared', 'version 1', 'two')])

  const wrong = []
  const calls = []
  let running = true
  const load = (async () => {
    while (running) {
      for (const [node, own] of [[first, 'one'], [second, 'two']]) {
        calls.push(answer(node, 'shared').then((got) => (got[0] === got[1] && got[2] === own) || wrong.push(got), (error) => wrong.push(error.cause ?? error)))
      }
      await sleep(20)
    }
  })()
  for (const [node, number] of [[first, 2], [second, 3], [second, 4]]) {
    write(node, 'shared', `version ${number}`)
    assert.match(await command(node, 'deploy', 'shared'), new RegExp(`shared: version ${number}`))
    await Promise.all([serves(first, 'shared', `version ${number}`, 'one'), serves(second, 'shared', `version ${number}`, 'two')])
  }
  assert.match(await command(first, 'rollback', 'shared'), /shared: version 3/)
  await Promise.all([serves(first, 'shared', 'version 3', 'one'), serves(second, 'shared', 'version 3', 'two')])
  assert.match(await command(second, 'rollback', 'shared', '--to', '1'), /shared: version 1/)
  await Promise.all([serves(first, 'shared', 'version 1', 'one'), serves(second, 'shared', 'version 1', 'two')])
  running = false
  await load
  await Promise.all(calls)
  assert.deepEqual(wrong, [])
  assert.ok(calls.length > 50, `${calls.length} requests`)
  await assert.rejects(command(second, 'rollback', 'shared', '--to', '9'), /no version 9/)
})

test('a function that is uploaded on one node is served by the other; after its removal, both return not found', async () => {
  const at = `/v1/projects/${first.keys.PROJECT_REF}/functions`
  const api = (node, method, path, body) =>
    fetch(`${node.url}${at}${path}`, {
      method,
      body: body instanceof FormData || body === undefined ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${first.keys.SUPABASE_ACCESS_TOKEN}`, ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }) },
    })
  const form = new FormData()
  form.append('metadata', JSON.stringify({ entrypoint_path: 'index.ts', verify_jwt: false }))
  for (const [name, text] of Object.entries(code('sent'))) form.append('file', new Blob([text]), name)
  const sent = await api(second, 'POST', '/deploy?slug=sent', form)
  assert.equal(sent.status, 201, await sent.clone().text())
  assert.equal((await sent.json()).version, 1)
  await Promise.all([serves(first, 'sent', 'sent', null), serves(second, 'sent', 'sent', null)])
  assert.equal((await (await api(first, 'GET', '/sent')).json()).version, 1)

  assert.equal((await api(first, 'PATCH', '/sent', { verify_jwt: true })).status, 200)
  await Promise.all([serves(first, 'sent', 401), serves(second, 'sent', 401)])
  assert.equal((await api(first, 'DELETE', '/sent')).status, 200)
  await Promise.all([serves(first, 'sent', 404), serves(second, 'sent', 404)])
  assert.ok(!existsSync(join(second.data, 'functions/versions/sent')))
  // The version number of a removed function is not used again, because a node that was offline may still have the files of that version.
  const again = new FormData()
  again.append('metadata', JSON.stringify({ entrypoint_path: 'index.ts', verify_jwt: false }))
  for (const [name, text] of Object.entries(code('again'))) again.append('file', new Blob([text]), name)
  assert.equal((await (await api(second, 'POST', '/deploy?slug=sent', again)).json()).version, 2)
  await serves(first, 'sent', 'again', null)
})

test('a node that was down serves the current versions from its first request on', async () => {
  await second.kill()
  write(first, 'shared', 'while away')
  await command(first, 'deploy', 'shared')
  await command(first, 'delete', 'early')
  await serves(first, 'shared', 'while away', 'one')
  second = await start(second, { environment })
  assert.deepEqual(await answer(second, 'shared'), ['while away', 'while away', 'two'])
  assert.equal((await ask(second, 'early')).status, 404)
})

test('an archive that cannot be unpacked is not served, and the previous version stays', async () => {
  sql("update cloch.function_versions set archive = 'no archive' where name = 'shared' and number = 1")
  // The test changes the rows with SQL, as if they were damaged. The node that has the files is not involved.
  sql("update cloch.deployed_functions set served = 1 where name = 'shared'")
  for (const [node, own] of [[first, 'one'], [second, 'two']]) {
    for (let tries = 0; tries < 200 && !node.output().includes('fetching a function version deployed by another node failed'); tries++) await sleep(50)
    assert.match(node.output(), /fetching a function version deployed by another node failed/)
    assert.deepEqual(await answer(node, 'shared'), ['while away', 'while away', own])
  }
})
