/**
 * Black-box test: changed settings take effect without a restart, through the dashboard and through SIGHUP. For each kind of setting, a request shows
 * the effect. If a start would refuse a file, the file changes nothing. If a setting needs a restart, the server reports this, and the setting has no
 * effect yet.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { firstOperator } from '../support/dashboard.mjs'
import { authLink, messageTo } from '../support/inbox.mjs'
import { sleep, startProject } from '../support/program.mjs'

const PASSWORD = 'a long password'

let server
let owner

before(async () => {
  server = await startProject({
    from: null,
    change: (config) => `${config}\n[auth]\nsite_url = "http://localhost:3000"\nenable_signup = true\n`,
    files: {
      'migrations/20260101000000_rows.sql': `create table rows (id int primary key);
        insert into rows select generate_series(1, 10);
        grant select on rows to anon;
        insert into storage.buckets (id, name) values ('files', 'files');`,
    },
  })
  owner = await firstOperator(server)
})

after(() => server?.remove())

const send = (path, { key = server.anonKey, token = key, body, ...options } = {}) =>
  fetch(`${server.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    // Each request uses a new connection, so that another core of the processor may handle it.
    headers: { apikey: key, authorization: `Bearer ${token}`, connection: 'close', 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
    ...options,
  })
const json = async (path, options) => (await send(path, options)).json()
let users = 0
const signUp = () => send('/auth/v1/signup', { body: { email: `user-${(users += 1)}@club.example`, password: PASSWORD } })
const signedUp = async () => (await signUp()).json()

const change = async (settings) => {
  const changes = Object.entries(settings).map(([key, value]) => ({ key, value }))
  const { files, env_version } = await owner.must('POST', '/settings/preview', { changes })
  const versions = [...files.map(({ version }) => version), ...(env_version ? [env_version] : [])]
  return owner.must('POST', '/settings/apply', { changes, versions })
}
/** Changes settings that take effect at once. */
const applied = async (settings) => {
  const { changes, problem } = await change(settings)
  assert.equal(problem, null)
  for (const { key, effect } of changes) assert.equal(effect, 'applied', key)
  assert.equal(server.child.exitCode, null)
}
const file = (name) => join(server.project, name)
const edit = (name, change) => writeFileSync(file(name), change(readFileSync(file(name), 'utf8')))

/** Sends SIGHUP. Returns the new lines of the log as soon as one of them matches. */
async function reloaded(pattern) {
  const before = server.output().length
  server.child.kill('SIGHUP')
  const end = performance.now() + 20_000
  for (;;) {
    const lines = server.output().slice(before)
    if (pattern.test(lines)) return lines
    assert.ok(performance.now() < end, `no line like ${pattern} in: ${lines}`)
    await sleep(20)
  }
}
const APPLIED = /settings of the project's files applied \(SIGHUP\)/
const FAILED = /applying the project's files failed \(SIGHUP\)/

test('a setting changed in the dashboard is in effect for the next request on every core, and is recorded', async () => {
  assert.equal((await signUp()).status, 200)
  await applied({ 'auth.enable_signup': false })
  for (const { status } of await Promise.all(Array.from({ length: 8 }, () => signUp()))) assert.equal(status, 422)
  const { entries } = await owner.must('GET', '/audit?action=settings.apply')
  assert.deepEqual(entries[0].details, { changes: [{ key: 'auth.enable_signup', old: true, new: false, effect: 'applied' }], problem: null })
  const { restart, groups } = await owner.must('GET', '/settings/editable')
  assert.deepEqual(restart.settings, [])
  const shown = groups.flatMap(({ settings }) => settings).find(({ key }) => key === 'auth.enable_signup')
  assert.deepEqual([shown.value, shown.is_live, shown.waits_for_restart], [false, true, false])
  await applied({ 'auth.enable_signup': true })
  for (const { status } of await Promise.all(Array.from({ length: 8 }, () => signUp()))) assert.equal(status, 200)
})

test('passwords, tokens, second factors and providers', async () => {
  await applied({ 'auth.minimum_password_length': 16, 'auth.jwt_expiry': 77 })
  const weak = await signUp()
  assert.deepEqual([weak.status, (await weak.json()).error_code], [422, 'weak_password'])
  await applied({ 'auth.minimum_password_length': null })
  const { access_token: token, expires_in: life } = await signedUp()
  assert.equal(life, 77)
  const enroll = async () => (await send('/auth/v1/factors', { token, body: { factor_type: 'totp', friendly_name: `${Math.random()}` } })).status
  assert.equal(await enroll(), 422)
  await applied({ 'auth.mfa.totp.enroll_enabled': true })
  assert.equal(await enroll(), 200)

  assert.equal((await send('/auth/v1/authorize?provider=github')).status, 400)
  await applied({ 'auth.external.github.enabled': true, 'auth.external.github.client_id': 'the id', 'auth.external.github.secret': 'the secret' })
  const { status, headers } = await send('/auth/v1/authorize?provider=github')
  assert.equal(status, 302)
  assert.match(headers.get('location'), /^https:\/\/github\.com\/.*client_id=the(\+|%20)id/)
  assert.equal((await json('/auth/v1/settings')).external.github, true)
})

test('URLs of links in mails', async () => {
  const email = (await signedUp()).user.email
  const redirect = async (asked) => {
    const seen = new Set((await messages(email)).map(({ id }) => id))
    await send(`/auth/v1/recover?redirect_to=${encodeURIComponent(asked)}`, { body: { email } })
    const fresh = (await messages(email)).find(({ id }) => !seen.has(id))
    return new URL(authLink(fresh)).searchParams.get('redirect_to')
  }
  const messages = async (to) => (await json(`/_/inbox/api/messages?to=${encodeURIComponent(to)}`, { key: server.serviceKey })).messages
  await applied({ 'auth.email.max_frequency': '0s' })
  assert.equal(await redirect('https://other.example/here'), 'http://localhost:3000')
  await applied({ 'auth.site_url': 'http://localhost:4000' })
  assert.equal(await redirect('https://other.example/here'), 'http://localhost:4000')
  await applied({ 'auth.additional_redirect_urls': ['https://other.example/**'] })
  assert.equal(await redirect('https://other.example/here'), 'https://other.example/here')
})

test('limits of storage and of the table REST API, while a running request keeps its initial limits', async () => {
  const upload = async (name, body, options = {}) =>
    (await fetch(`${server.url}/storage/v1/object/files/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.serviceKey}`, 'content-type': 'text/plain' },
      body,
      ...options,
    })).json()
  assert.equal((await upload('a', 'x'.repeat(5000))).Key, 'files/a')
  const stored = () => readdirSync(join(server.data, 'objects'), { recursive: true }).length
  const before = stored()
  let goOn
  const more = new Promise((done) => (goOn = done))
  const slow = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('x'.repeat(4_000_000)))
      await more
      controller.enqueue(new TextEncoder().encode('x'.repeat(4_000_000)))
      controller.close()
    },
  })
  const running = upload('slow', slow, { duplex: 'half' })
  for (const end = performance.now() + 20_000; stored() === before; await sleep(10)) assert.ok(performance.now() < end, 'nothing of the upload is stored')
  await applied({ 'storage.file_size_limit': '4KiB', 'api.max_rows': 3 })
  assert.equal((await upload('b', 'x'.repeat(5000))).statusCode, '413')
  goOn()
  assert.equal((await running).Key, 'files/slow')
  assert.equal((await json('/rest/v1/rows')).length, 3)
  await applied({ 'storage.file_size_limit': null, 'api.max_rows': null })
  assert.equal((await upload('b', 'x'.repeat(5000))).Key, 'files/b')
  assert.equal((await json('/rest/v1/rows')).length, 10)
  await applied({ 'storage.quota': '1KiB' })
  assert.match(JSON.stringify(await upload('c', 'x'.repeat(2000))), /quota/)
  await applied({ 'storage.quota': null })
})

test('a mail server: address, rate limit, and return to the inbox', async () => {
  const script = resolve(import.meta.dirname, '../../functions/mail/tests/it/support/smtp_server.py')
  const smtp = spawn(process.env.CLOCH_TEST_PYTHON ?? 'python3', [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: smtp.stdout })
  const next = async () => JSON.parse((await once(lines, 'line'))[0])
  try {
    const { port } = await next()
    const [first, second, third] = await Promise.all([signedUp(), signedUp(), signedUp()])
    const recover = (user) => send('/auth/v1/recover', { body: { email: user.user.email } })
    await applied({
      'auth.email.smtp.host': '127.0.0.1',
      'auth.email.smtp.port': port,
      'auth.email.smtp.admin_email': 'club@example.org',
      'auth.email.smtp.sender_name': 'The club',
    })
    const [mail] = await Promise.all([next(), recover(first)])
    assert.deepEqual([mail.rcpt_tos, mail.mail_from], [[first.user.email], 'club@example.org'])
    // If addresses need no confirmation, only a limit of zero has an effect.
    await applied({ 'auth.rate_limit.email_sent': 0 })
    assert.equal((await recover(second)).status, 429)
    await applied({ 'auth.rate_limit.email_sent': 1000 })
    const [other] = await Promise.all([next(), recover(second)])
    assert.deepEqual(other.rcpt_tos, [second.user.email])
    await applied({ 'auth.email.smtp.enabled': false })
    await recover(third)
    assert.match((await messageTo(server.url, third.user.email)).subject, /password/)
  } finally {
    smtp.kill()
  }
})

test('a setting that needs a restart is named, and the others of the same change take effect', async () => {
  const { changes, problem } = await change({ 'realtime.enabled': false, 'auth.enable_signup': false })
  assert.deepEqual([problem, changes.map(({ key, effect }) => [key, effect])], [null, [['realtime.enabled', 'next start'], ['auth.enable_signup', 'applied']]])
  assert.equal((await signUp()).status, 422)
  const { restart, groups } = await owner.must('GET', '/settings/editable')
  assert.deepEqual(restart.settings, ['realtime.enabled'])
  assert.equal(groups.flatMap(({ settings }) => settings).find(({ key }) => key === 'realtime.enabled').is_live, false)
  assert.equal((await send('/realtime/v1/api/ping')).status, 200)
  await change({ 'realtime.enabled': true })
  await applied({ 'auth.enable_signup': true })
  assert.deepEqual((await owner.must('GET', '/settings/editable')).restart.settings, [])
})

test('SIGHUP applies manual edits, and names settings that need a restart', async () => {
  const broadcast = () => send('/realtime/v1/api/broadcast', { body: { messages: [1, 2].map((n) => ({ topic: 'a', event: 'b', payload: { n } })) } })
  assert.equal((await broadcast()).status, 202)
  edit('config.toml', (text) => text.replace('enable_signup = true', 'enable_signup = false').replace('[db.seed]', 'health_timeout = "3m"\n[db.seed]'))
  edit('cloch.toml', (text) => `${text}\n[limits.realtime]\nmessages_per_request = 1\nheld_per_socket = "1MiB"\n`)
  const lines = await reloaded(/changed settings need a restart/)
  assert.match(lines, APPLIED)
  const [, ready] = /config\.applied="?([^"\n]*)/.exec(lines) ?? []
  assert.match(ready, /auth\.enable_signup.*limits\.realtime\.messages_per_request/)
  const [, waiting] = /config\.waiting="?([^"\n]*)/.exec(lines) ?? []
  assert.match(waiting, /db\.health_timeout.*limits\.realtime\.held_per_socket/)
  assert.ok(!ready.includes('held_per_socket') && !waiting.includes('enable_signup'))
  assert.equal((await signUp()).status, 422)
  assert.equal((await broadcast()).status, 429)
})

test('files that a start would refuse change nothing, and are named', async () => {
  const good = readFileSync(file('config.toml'), 'utf8')
  for (const [broken, named] of [
    [`${good}[auth\n`, /config\.toml, line \d+/],
    [good.replace('enable_signup = false', 'enable_signup = true\njwt_expiry = "many"'), /jwt_expiry/],
    [good.replace('enable_signup = false', 'enable_signup = true\nsms = { template = "{{ .Code" }'), /sms\.template/],
    [`${good.replace('enable_signup = false', 'enable_signup = true')}\n[auth.email.template.invite]\ncontent_path = "./missing.html"\n`, /missing\.html/],
  ]) {
    writeFileSync(file('config.toml'), broken)
    const lines = await reloaded(FAILED)
    assert.match(lines, named)
    assert.equal(server.child.exitCode, null)
    assert.equal((await signUp()).status, 422, 'the settings before are in effect')
  }
  writeFileSync(file('config.toml'), good.replace('enable_signup = false', 'enable_signup = true'))
  await reloaded(APPLIED)
  assert.equal((await signUp()).status, 200)
})

test('a changed file of a mail template is read again', async () => {
  const { user } = await signedUp()
  const mail = (text) => writeFileSync(file('recovery.html'), `<p>${text}: {{ .Token }}</p>`)
  mail('The first text')
  edit('config.toml', (text) => `${text}\n[auth.email.template.recovery]\nsubject = "Own {{ .Token }}"\ncontent_path = "./recovery.html"\n`)
  await reloaded(APPLIED)
  mail('The second text')
  await reloaded(APPLIED)
  await send('/auth/v1/recover', { body: { email: user.email } })
  assert.match((await messageTo(server.url, user.email, /^Own/)).html, /The second text/)
})
