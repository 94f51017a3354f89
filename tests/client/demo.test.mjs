/**
 * Black-box test of `cloch start --demo`. The demo prints how to sign in, shows data and traffic, and does not touch any project. Only this machine
 * can reach it. It leaves no files behind unless `--data` names its folder.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Operator } from '../support/dashboard.mjs'
import { binary, freePort } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const folder = mkdtempSync(join(tmpdir(), 'cloch-test-'))
// If root runs the test, the account of the database must be able to enter its folder.
chmodSync(folder, 0o755)
const temporary = join(folder, 'tmp')
mkdirSync(temporary, { mode: 0o755 })
// The folder in which the demo is started contains a project of the user.
const current = join(folder, 'current')
mkdirSync(join(current, 'supabase'), { recursive: true })
writeFileSync(join(current, 'supabase/config.toml'), 'project_id = "mine"\n[auth]\nunknown = [\n')
const children = []
after(() => {
  children.forEach((child) => child.kill('SIGKILL'))
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the folders of demos that exist. While the programs run, they also have other files in the parent folder. */
const demos = () => readdirSync(temporary).filter((name) => name.startsWith('cloch-demo-'))
const environment = { ...process.env, TMPDIR: temporary }

/** Starts a demo, and waits for the lines that tell the user how to sign in. */
async function demo(...flags) {
  const child = spawn(binary, ['start', '--demo', ...flags], { cwd: current, env: environment })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = new Promise((done) => child.once('exit', (code, signal) => done({ code, signal })))
  await until(() => {
    assert.equal(child.exitCode, null, output)
    return /At the stop/.test(output)
  }, () => output)
  const [, url, email, password] = /Sign in +(\S+)\/_\/ with (\S+) and the password (\S+)/.exec(output)
  return {
    url, email, password, ended, output: () => output,
    stop: () => {
      child.kill('SIGINT')
      return ended
    },
  }
}
const refused = (flags, more = {}) => {
  const { status, stderr } = spawnSync(binary, ['start', '--demo', ...flags], { cwd: current, env: { ...environment, ...more }, encoding: 'utf8', timeout: 30_000 })
  assert.notEqual(status, 0)
  return stderr
}
const signedIn = async ({ url, email, password }) => {
  const operator = new Operator(url)
  await operator.must('POST', '/session', { email, password })
  return operator
}

test('a demo refuses an existing database, other folders, and access from other machines', () => {
  assert.match(refused([], { CLOCH_DB_URL: 'postgres://postgres@127.0.0.1:1/postgres' }), /does not use the one of CLOCH_DB_URL/)
  assert.match(refused(['--data', current]), /not the data of a demo/)
  for (const flags of [['--host', '0.0.0.0'], ['--project', 'supabase'], ['--inspect'], ['--cli-keys']]) {
    assert.match(refused(flags), /cannot be used with/, flags.join(' '))
  }
  assert.deepEqual(readdirSync(current), ['supabase'])
  assert.deepEqual(demos(), [])
})

test('a demo has data, traffic and accounts, and leaves nothing behind', async () => {
  const port = await freePort()
  const running = await demo('--port', `${port}`)
  assert.equal(running.url, `http://127.0.0.1:${port}`)
  assert.match(running.output(), /Demo +example data/)
  const [name] = demos()
  assert.match(name, /^cloch-demo-[0-9a-f]{32}$/)
  const data = join(temporary, name)
  assert.equal(statSync(join(data, 'demo.toml')).mode & 0o777, 0o600)
  for (const { address, family, internal } of Object.values(networkInterfaces()).flat()) {
    if (internal || family !== 'IPv4') continue
    await assert.rejects(fetch(`http://${address}:${port}/health`), undefined, address)
  }

  const status = execFileSync(binary, ['status', '-o', 'json', '--project', join(data, 'project'), '--data', data], { env: environment, encoding: 'utf8' })
  const { PUBLISHABLE_KEY: key } = JSON.parse(status)
  const send = async (path, { token, ...options } = {}) => {
    const headers = { apikey: key, 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
    const response = await fetch(`${running.url}${path}`, { headers, ...options })
    assert.equal(response.status, 200, path)
    return response
  }
  const json = async (...request) => (await send(...request)).json()
  assert.equal((await json('/rest/v1/boats?select=name')).length, 8)
  assert.deepEqual(await json('/rest/v1/bookings'), [], 'visitors see no bookings')
  const account = JSON.stringify({ email: 'anne@example.org', password: running.password })
  const { access_token: token } = await json('/auth/v1/token?grant_type=password', { method: 'POST', body: account })
  assert.ok((await json('/rest/v1/bookings?select=id', { token })).length > 100)
  const notes = await json('/rest/v1/notes?order=id', { token })
  assert.equal(notes.length, 4, 'her own notes alone')
  const picture = await send(`/storage/v1/object/authenticated/${notes[3].picture.replace(/^/, 'pictures/')}`, { token })
  assert.equal(picture.headers.get('content-type'), 'image/webp')
  assert.equal((await send('/storage/v1/object/public/boats/osprey.webp')).headers.get('content-type'), 'image/webp')
  assert.match(await (await send('/storage/v1/object/authenticated/documents/harbour-rules.md', { token })).text(), /^# Rules/)

  const operator = await signedIn(running)
  const { entries } = await operator.must('GET', '/audit')
  assert.ok(entries.some(({ action }) => action === 'welcome.accept'))
  // The simulated members of the demo send requests by themselves.
  const requests = async () => {
    const text = await (await fetch(`${running.url}/metrics`)).text()
    return [...text.matchAll(/^http_request_duration_seconds_count\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const before = await requests()
  await until(async () => (await requests()) >= before + 5, 'traffic')
  const log = await operator.must('GET', '/advisors')
  assert.deepEqual(log.lints?.filter(({ level }) => level === 'ERROR') ?? [], [])

  assert.deepEqual(await running.stop(), { code: 0, signal: null })
  assert.deepEqual(demos(), [])
  assert.deepEqual(readdirSync(current), ['supabase'])
  assert.doesNotMatch(running.output(), / (WARN|ERROR) /)
})

test('with --data the demo continues where it was, with the same password', async () => {
  const data = join(folder, 'kept')
  const port = `${await freePort()}`
  const first = await demo('--data', data, '--port', port)
  assert.match(first.output(), new RegExp(`the data stays in ${data}`))
  const owner = await signedIn(first)
  await owner.must('POST', '/operators', { email: 'second@example.org', role: 'viewer' })
  await first.stop()
  assert.ok(existsSync(join(data, 'project/seed.sql')))
  const second = await demo('--data', data, '--port', port)
  assert.equal(second.password, first.password)
  const { operators } = await (await signedIn(second)).must('GET', '/operators')
  assert.equal(operators.length, 2)
  await second.stop()
  assert.deepEqual(demos(), [])
})

test('a second demo takes another port', async () => {
  const first = await demo()
  const second = await demo()
  assert.notEqual(first.url, second.url)
  await Promise.all([first.stop(), second.stop()])
  assert.deepEqual(demos(), [])
})
