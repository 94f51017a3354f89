/**
 * Black-box test: when an owner changes a setting in the dashboard, the change reaches all nodes. Node A has the database, node B has a separate
 * folder, and node C shares the folder of A. In the tests, B also is stopped, has other files, refuses a change, and starts as a new node. Only the
 * server may write the tables, and nodes refuse a repeated row.
 */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { firstOperator, Operator } from '../support/dashboard.mjs'
import { freePort, makeProject, sleep, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const SECRET = 'a secret of GitHub that nobody reads'
const CONFIG = '\n[auth]\nsite_url = "http://localhost:3000"\nminimum_password_length = 8\n\n[auth.rate_limit]\nsign_in_sign_ups = 100000\n'

const opened = []
const nodes = {}
let places
let environment
let owner
let admin

const startB = async () => {
  nodes.b = await start(places.b, { environment })
}

before(async () => {
  const make = () => makeProject({ from: null, change: (config) => config + CONFIG })
  places = { a: await make(), b: await make(), c: await makeProject({ from: null }) }
  nodes.a = await start(places.a)
  opened.push(() => nodes.a.remove())
  const secrets = join(places.a.data, 'secrets.toml')
  for (const name of ['b', 'c']) {
    mkdirSync(places[name].data, { recursive: true })
    copyFileSync(secrets, join(places[name].data, 'secrets.toml'))
  }
  const url = new URL(nodes.a.keys.DB_URL)
  url.username = 'supabase_admin'
  url.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(secrets, 'utf8'))[1]
  environment = { CLOCH_DB_URL: url.href }
  await startB()
  opened.push(() => nodes.b.remove())
  const port = await freePort()
  places.c = { ...places.c, project: places.a.project, port, url: `http://127.0.0.1:${port}` }
  nodes.c = await start(places.c, { environment, flags: ['--port', `${port}`] })
  opened.push(() => nodes.c.remove())
  admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  opened.push(() => admin.end())
  owner = await firstOperator(nodes.a)
})

after(async () => {
  for (const close of opened.reverse()) await close()
})

const change = async (settings) => {
  const changes = Object.entries(settings).map(([key, value]) => ({ key, value }))
  const { files, env_version } = await owner.must('POST', '/settings/preview', { changes })
  const versions = [...files.map(({ version }) => version), ...(env_version ? [env_version] : [])]
  const saved = await owner.must('POST', '/settings/apply', { changes, versions })
  assert.equal(saved.problem, null)
}
const file = (name, path = 'config.toml') => readFileSync(join(places[name].project, path), 'utf8')
const edit = (name, path, change) => writeFileSync(join(places[name].project, path), change(file(name, path)))

/** Returns the minimum length of passwords that a node requires, read from its error message. */
const demanded = async (name) => {
  const { url, anonKey } = nodes[name]
  const response = await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'nobody@example.org', password: 'a' }),
  })
  return Number(/at least (\d+) characters/.exec((await response.json()).msg)[1])
}
/** Returns what the dashboard of A shows about the nodes, by port. */
const shown = async () => {
  const { nodes: list } = await owner.must('GET', '/settings/nodes')
  // A node that has lost its id is listed twice for a day. Prefer the entry of the running node.
  const of = (port) => list.filter(({ name }) => name.endsWith(`:${port}`)).toSorted((one, other) => other.is_running - one.is_running)[0]
  return { a: of(places.a.port), b: of(places.b.port), c: of(places.c.port) }
}
const isCurrent = (node) => node?.is_running && !node.is_behind && node.problems.length === 0
const allCurrent = () => until(async () => {
  const { a, b, c } = await shown()
  return [a, b, c].every(isCurrent)
})

test('only the server can write the changes', async () => {
  const project = new pg.Client({ connectionString: nodes.a.keys.DB_URL })
  await project.connect()
  try {
    for (const statement of [
      `insert into cloch.settings_changes (id, sealed) values (1, 'x')`,
      'delete from cloch.settings_changes',
      `update cloch.settings_nodes set position = 0`,
      'truncate cloch.settings_changes',
      'do $$ begin lock table cloch.settings_changes in share row exclusive mode; end $$',
      'alter table cloch.settings_changes disable trigger all',
    ]) await assert.rejects(project.query(statement), /permission denied|written by the server alone|must be owner/, statement)
  } finally {
    await project.end()
  }
  // The guard also refuses a login that has privileges on the table.
  await admin.query(`create role intruder login password 'intruder' ; grant usage on schema cloch to intruder; grant all on cloch.settings_changes to intruder`)
  const url = new URL(environment.CLOCH_DB_URL)
  Object.assign(url, { username: 'intruder', password: 'intruder' })
  const intruder = new pg.Client({ connectionString: url.href })
  await intruder.connect()
  try {
    await assert.rejects(intruder.query(`insert into cloch.settings_changes (id, sealed) values (1, 'x')`), /written by the server alone/)
  } finally {
    await intruder.end()
    await admin.query('drop owned by intruder; drop role intruder')
  }
})

test('a change takes effect on a node with its own folder and on one that shares the folder', async () => {
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(demanded)), [8, 8, 8])
  await change({ 'auth.minimum_password_length': 11 })
  assert.equal(await demanded('a'), 11)
  await allCurrent()
  assert.deepEqual(await Promise.all(['b', 'c'].map(demanded)), [11, 11])
  assert.match(file('b'), /^minimum_password_length = 11$/m)
  const { a, b, c } = await shown()
  assert.deepEqual([a.is_this, b.is_this, c.is_this], [true, false, false])
  // The nodes share the audit log, so it contains the change only once.
  const { entries } = await owner.must('GET', '/audit?action=settings.apply')
  assert.equal(entries.length, 1)
  assert.match(nodes.b.output(), /a change made on another node was applied/)
})

test('a change on another node is received, and a preview based on older files is refused', async () => {
  const changes = [{ key: 'auth.minimum_password_length', value: 12 }]
  const { files } = await owner.must('POST', '/settings/preview', { changes })
  // The owner's session is in the database, so it is valid on every node.
  const onB = new Operator(nodes.b.url)
  Object.assign(onB, { cookie: owner.cookie, csrf: owner.csrf })
  const other = [{ key: 'auth.minimum_password_length', value: 13 }]
  const seen = await onB.must('POST', '/settings/preview', { changes: other })
  await onB.must('POST', '/settings/apply', { changes: other, versions: seen.files.map(({ version }) => version) })
  // This request follows at once. A applies the change of B before it handles the request, although it would read this change by itself only later.
  const refused = await owner.send('POST', '/settings/apply', { changes, versions: files.map(({ version }) => version) })
  assert.deepEqual([refused.status, refused.json.message], [409, 'The file has changed since the diff was made'])
  assert.equal(await demanded('a'), 13)
  await allCurrent()
})

test('a secret reaches the other nodes, and no table contains it as plain text', async () => {
  await change({ 'auth.external.github.secret': SECRET })
  await allCurrent()
  const env = join(places.b.project, '.env.local')
  assert.match(readFileSync(env, 'utf8'), new RegExp(`^SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET='${SECRET}'$`, 'm'))
  assert.equal(statSync(env).mode & 0o777, 0o600)
  assert.match(file('b'), /secret = "env\(SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET\)"/)
  const { rows } = await admin.query(`select string_agg(encode(sealed, 'escape'), ' ') as text, count(*)::int from cloch.settings_changes where sealed is not null`)
  assert.ok(rows[0].count > 0 && !rows[0].text.includes(SECRET) && !rows[0].text.includes('minimum_password_length'))
})

test('a node that is down is named, and applies the change when it runs again', async () => {
  await nodes.b.stop()
  await change({ 'auth.minimum_password_length': 9 })
  const { b } = await shown()
  assert.deepEqual([b.is_running, b.is_behind], [false, true])
  assert.match(file('b'), /^minimum_password_length = 13$/m)
  await startB()
  assert.equal(await demanded('b'), 9)
  assert.match(file('b'), /^minimum_password_length = 9$/m)
  await allCurrent()
})

test('a node whose file has another value keeps it, reports this, and is current again after the file is corrected', async () => {
  edit('b', 'config.toml', (text) => text.replace('minimum_password_length = 9', 'minimum_password_length = 20'))
  nodes.b.child.kill('SIGHUP')
  await until(async () => (await demanded('b')) === 20)
  await change({ 'auth.minimum_password_length': 10 })
  await until(async () => (await shown()).b.problems.length === 1)
  const { a, b, c } = await shown()
  assert.ok(isCurrent(a))
  await until(async () => isCurrent((await shown()).c), `c: ${JSON.stringify(c)}`)
  assert.deepEqual(b.problems[0].keys, ['auth.minimum_password_length'])
  assert.match(b.problems[0].reason, /another value in the files of this node/)
  assert.equal(await demanded('b'), 20)
  assert.match(nodes.b.output(), /a change made on another node was not applied/)
  edit('b', 'config.toml', (text) => text.replace('minimum_password_length = 20', 'minimum_password_length = 10'))
  nodes.b.child.kill('SIGHUP')
  await allCurrent()
})

test('a node that could not start with the change refuses the whole change', async () => {
  // The provider needs the client id. Only A and C have this id.
  edit('a', 'config.toml', (text) => text.replace('[auth.external.github]', '[auth.external.github]\nclient_id = "the id"'))
  await change({ 'auth.external.github.enabled': true, 'auth.minimum_password_length': 14 })
  await until(async () => (await shown()).b.problems.length === 1)
  const { problems } = (await shown()).b
  assert.deepEqual(problems[0].keys.toSorted(), ['auth.external.github.enabled', 'auth.minimum_password_length'])
  assert.match(problems[0].reason, /would not start with this change.*client_id/s)
  assert.deepEqual([await demanded('a'), await demanded('b')], [14, 10])
  assert.doesNotMatch(file('b'), /enabled = true/)
  // The problem ends when the node accepts a later change of the same settings.
  edit('b', 'config.toml', (text) => text.replace('minimum_password_length = 10', 'minimum_password_length = 14'))
  await change({ 'auth.external.github.enabled': null, 'auth.minimum_password_length': 15 })
  await allCurrent()
  assert.equal(await demanded('b'), 15)
})

test('a new node with older files lists the settings that differ, and changes nothing', async () => {
  await nodes.b.stop()
  rmSync(join(places.b.data, 'settings-node.toml'))
  edit('b', 'config.toml', (text) => text.replace('minimum_password_length = 15', 'minimum_password_length = 8'))
  await startB()
  const list = (await owner.must('GET', '/settings/nodes')).nodes
  const [b] = list.filter(({ name, is_running }) => is_running && name.endsWith(`:${places.b.port}`))
  assert.deepEqual(b.problems.map(({ keys }) => keys), [['auth.minimum_password_length']])
  assert.match(b.problems[0].reason, /^This node is new/)
  assert.equal(await demanded('b'), 8)
  edit('b', 'config.toml', (text) => text.replace('minimum_password_length = 8', 'minimum_password_length = 15'))
  nodes.b.child.kill('SIGHUP')
  await allCurrent()
})

test('a row that no node has written changes nothing, even if it repeats an earlier one', async () => {
  await change({ 'auth.minimum_password_length': 16 })
  await allCurrent()
  // Only a superuser can insert these rows.
  await admin.query(`insert into cloch.settings_changes (id, sealed) select max(id) + 1, (array_agg(sealed order by id))[1] from cloch.settings_changes`)
  await admin.query(`insert into cloch.settings_changes (id, sealed) select max(id) + 1, '{"settings":[]}' from cloch.settings_changes`)
  await until(async () => {
    const { a, b, c } = await shown()
    return [a, b, c].every(({ problems }) => problems.length === 2)
  })
  const { a } = await shown()
  assert.match(a.problems[0].reason, /cannot be decrypted/)
  await sleep(100)
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(demanded)), [16, 16, 16])
  // A new node cannot compare its files with such a row, and reports this.
  await nodes.b.stop()
  rmSync(join(places.b.data, 'settings-node.toml'))
  await startB()
  const { b } = await shown()
  assert.deepEqual(b.problems.map(({ keys }) => keys), [[]])
  assert.match(b.problems[0].reason, /cannot be decrypted/)
})
