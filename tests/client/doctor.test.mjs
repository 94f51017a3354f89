/** `cloch doctor` on projects that have one problem each, and on a project without problems. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { binary, freePort, makeProject, removePlace, start } from '../support/program.mjs'

const places = []
after(() => places.forEach(removePlace))

const project = async (options = {}) => {
  const place = await makeProject({ from: null, ...options })
  places.push(place)
  return place
}

/** Returns the findings of `cloch doctor`. `environment` contains additional variables. */
function examine(place, environment = {}) {
  const of = ['--project', place.project, '--data', place.data]
  const { status, stdout, stderr } = spawnSync(binary, ['doctor', '--json', ...of], { encoding: 'utf8', env: { ...process.env, ...environment }, timeout: 60_000 })
  assert.equal(stderr, '')
  const findings = JSON.parse(stdout)
  return { status, findings, problems: findings.filter((finding) => finding.level === 'problem') }
}

/** Expects exactly one problem with this subject, this finding, and a remedy. */
function oneProblem(place, subject, seen, environment) {
  const { status, problems } = examine(place, environment)
  assert.equal(status, 1)
  assert.deepEqual(problems.map((problem) => problem.subject), [subject], JSON.stringify(problems))
  assert.match(problems[0].seen, seen)
  assert.ok(problems[0].remedy.length > 10)
}

test('a backup whose passphrase is missing or too short, so that the server does not start', async () => {
  const place = await project()
  writeFileSync(join(place.project, 'cloch.toml'), '[backup]\nto = "../target"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n')
  oneProblem(place, 'backup', /CLOCH_BACKUP_PASSPHRASE, which is not set/)
  oneProblem(place, 'backup', /needs 12 characters/, { CLOCH_BACKUP_PASSPHRASE: 'short' })
  writeFileSync(join(place.project, 'cloch.toml'), '[backup]\nto = "env(NO_TARGET)"\nencrypt_to = "a long passphrase of words"\n')
  oneProblem(place, 'backup', /takes the target from NO_TARGET, which is not set/)
})

test('an app without a page, and signing keys without a file, so that the server does not start', async () => {
  const place = await project()
  const [config, cloch] = ['config.toml', 'cloch.toml'].map((name) => join(place.project, name))
  writeFileSync(cloch, '[web]\napp = "dist"\n')
  oneProblem(place, 'configuration', /dist has no index\.html/)
  rmSync(cloch)
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n[auth]\nsigning_keys_path = "keys.json"\n`)
  oneProblem(place, 'keys', /auth\.signing_keys_path: .*keys\.json: No such file/)
})

/** Calls `then` while the port is occupied. */
async function taken(port, then) {
  const server = createServer()
  await new Promise((done) => server.listen(port, '127.0.0.1', done))
  try {
    return await then()
  } finally {
    await new Promise((done) => server.close(done))
  }
}

test('an intact project has no problem, before its first start, while it runs, and afterwards', async () => {
  const place = await project()
  assert.deepEqual(examine(place).problems, [])
  const cloch = await start(place)
  const running = examine(place)
  assert.deepEqual(running.problems, [])
  assert.match(JSON.stringify(running.findings), /runs \(process \d+\)/)
  await cloch.stop()
  assert.equal(examine(place).status, 0)
  const text = spawnSync(binary, ['doctor', '--project', place.project, '--data', place.data], { encoding: 'utf8' })
  assert.match(text.stdout, /^ok +PostgreSQL +\d+ in /m)
})

test('1. a wrong value in config.toml', async () => {
  const place = await project({ change: (config) => config.replace(/port = (\d+)/, 'port = "$1 or so"') })
  oneProblem(place, 'configuration', /api\.port/)
})

test('2. an unknown key in cloch.toml', async () => {
  oneProblem(await project({ files: { 'cloch.toml': '[server]\nhots = "0.0.0.0"\n' } }), 'configuration', /hots/)
})

test('3. a data folder that is a file', async () => {
  const place = await project()
  writeFileSync(place.data, '')
  oneProblem(place, 'data folder', /is no folder/)
  rmSync(place.data)
})

test('4. secrets that other accounts can read', async () => {
  const place = await project()
  await (await start(place)).stop()
  chmodSync(join(place.data, 'secrets.toml'), 0o644)
  oneProblem(place, 'rights', /secrets\.toml/)
})

test('5. secrets that are missing although the database exists', async () => {
  const place = await project()
  await (await start(place)).stop()
  rmSync(join(place.data, 'secrets.toml'))
  oneProblem(place, 'keys', /is missing beside a database/)
})

test('6. a port that is in use', async () => {
  const place = await project()
  await taken(place.port, () => oneProblem(place, 'port', /is taken by another program/))
})

test('7. a database port that is in use', async () => {
  const place = await project()
  const port = Number(/\[db\]\nport = (\d+)/.exec(readFileSync(join(place.project, 'config.toml'), 'utf8'))[1])
  await taken(port, () => oneProblem(place, 'database port', /is taken by another program/))
})

test('8. no PostgreSQL, and a PostgreSQL of another version than the data', async () => {
  const place = await project()
  oneProblem(place, 'PostgreSQL', /\/nowhere/, { CLOCH_POSTGRES_BIN: '/nowhere' })
  await (await start(place)).stop()
  const file = join(place.data, 'db/PG_VERSION')
  writeFileSync(file, '13\n')
  oneProblem(place, 'PostgreSQL', /made by PostgreSQL 13/)
})

test('9. an external database that does not respond', async () => {
  const url = `postgres://nobody@127.0.0.1:${await freePort()}/postgres`
  oneProblem(await project(), 'PostgreSQL', /CLOCH_DB_URL cannot be used/, { CLOCH_DB_URL: url })
})

test('10. a clock that was set back', async () => {
  const place = await project()
  await (await start(place)).stop()
  const later = new Date(Date.now() + 3_600_000)
  utimesSync(join(place.data, 'secrets.toml'), later, later)
  oneProblem(place, 'clock', /minutes behind/)
})

test('11. a mail server that does not respond', async () => {
  const port = await freePort()
  const smtp = `\n[auth.email.smtp]\nenabled = true\nhost = "127.0.0.1"\nport = ${port}\nuser = ""\npass = ""\nadmin_email = "club@example.org"\nsender_name = "Club"\n`
  oneProblem(await project({ change: (config) => `${config}${smtp}` }), 'mail', new RegExp(`127.0.0.1:${port}`))
})

test('12. an object store that does not respond', async () => {
  const s3 = `[storage.s3]\nendpoint = "http://127.0.0.1:${await freePort()}"\nregion = "local"\nbucket = "files"\naccess_key_id = "a"\nsecret_access_key = "b"\npath_style = true\n`
  oneProblem(await project({ files: { 'cloch.toml': s3 } }), 'object store', /./)
})

test('13. keys that are not signed with the secret', async () => {
  const place = await project()
  await (await start(place)).stop()
  const forged = { CLOCH_JWT_SECRET: 'another secret of more than 32 letters', CLOCH_ANON_KEY: 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA' }
  oneProblem(place, 'keys', /anon key is not valid/, forged)
})

test('14. a backup folder that is not mounted', async () => {
  const place = await project({ files: { 'cloch.toml': '[backup]\nto = "/mnt/is-not-mounted"\nencrypt_to = "tide-granite-lantern-40"\n' } })
  oneProblem(place, 'backup', /is not there/, { CLOCH_ALLOW_PATHS: '/mnt' })
  const here = join(place.folder, 'backup')
  mkdirSync(here)
  writeFileSync(join(place.project, 'cloch.toml'), `[backup]\nto = "${here}"\nencrypt_to = "tide-granite-lantern-40"\n`)
  const { status, findings } = examine(place)
  assert.equal(status, 0)
  assert.match(JSON.stringify(findings), /is on the disk of the data/)
})

test('15. a public server without TLS and without a configured proxy causes a warning', async () => {
  const place = await project({ change: (config) => config.replace('[api]\n', '[api]\nexternal_url = "http://club.example"\n') })
  const { status, findings } = examine(place)
  assert.equal(status, 0)
  const warned = findings.filter((finding) => finding.level === 'warning').map((finding) => `${finding.seen} ${finding.remedy}`)
  assert.ok(warned.some((text) => /trusted_proxies/.test(text)), warned.join('\n'))
  assert.ok(warned.some((text) => /http/.test(text)))
})
