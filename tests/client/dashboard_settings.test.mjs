/**
 * Black-box test of changing settings in the dashboard. It first tests refusals (other roles, forged requests, unknown keys, values outside their
 * bounds, variables, files that have changed, settings that would lock the owner out). Then it tests a change from the diff to its effect, and how
 * the change is undone. The file settings_live.test.mjs tests effects without a restart.
 */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Operator, firstOperator, invited } from '../support/dashboard.mjs'
import { start, startProject } from '../support/program.mjs'

const SECRET = 'Cumbrae ferry at noon'
const LITERAL = 'a literal secret of the file'

let server
let owner
let developer
let viewer

const read = (name) => readFileSync(join(server.project, name), 'utf8')
const preview = (changes, status = 200) => owner.must('POST', '/settings/preview', { changes }, status)
const versionsOf = ({ files, env_version }) => [...files.map(({ version }) => version), ...(env_version ? [env_version] : [])]
const apply = async (changes, more = {}, status = 200) =>
  owner.must('POST', '/settings/apply', { changes, versions: versionsOf(await preview(changes)), ...more }, status)
const editable = () => owner.must('GET', '/settings/editable')
const setting = async (key) => (await editable()).groups.flatMap(({ settings }) => settings).find((one) => one.key === key)
before(async () => {
  server = await startProject({
    from: null,
    change: (config) =>
      `${config}
[auth]
# Who may join.
enable_signup = true # for now

[auth.external.github]
enabled = false
secret = "${LITERAL}" # ${LITERAL}

[auth.external.gitlab]
enabled = false
client_id = "env(SUPABASE_TEST_GITLAB)"
`,
  })
  owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
})

after(() => server?.remove())

test('only owners can read and change settings', async () => {
  const changes = [{ key: 'auth.enable_signup', value: false }]
  const requests = [
    ['GET', '/settings/editable'],
    ['POST', '/settings/preview', { changes }],
    ['POST', '/settings/apply', { changes, versions: [] }],
    ['POST', '/settings/test-mail', { to: 'a@b.example' }],
    ['GET', '/settings/templates/invite'],
    ['GET', '/settings/templates/invite/html'],
  ]
  for (const [method, path, body] of requests) {
    assert.equal((await new Operator(server.url).send(method, path, body)).status, 401, path)
    for (const one of [viewer, developer]) assert.equal((await one.send(method, path, body)).status, 403, path)
    if (method === 'GET') continue
    for (const headers of [{ 'x-cloch-csrf': 'wrong' }, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }])
      assert.equal((await owner.send(method, path, body, { headers })).status, 403, path)
  }
  assert.match(read('config.toml'), /enable_signup = true # for now/)
})

test('unlisted keys, wrong values and a configuration that would not start are refused', async () => {
  for (const [key, value, status] of [
    ['auth.jwt_secret', 'a secret that is long enough', 404],
    ['auth.external.*.enabled', true, 404],
    ['edge_runtime.secrets.A', 'x', 404],
    ['server.tls', 'acme', 404],
    ['auth.enable_signup', 'no', 400],
    ['auth.minimum_password_length', 5, 400],
    ['auth.minimum_password_length', 6.5, 400],
    ['auth.site_url', 'localhost:3000', 400],
    ['auth.email.max_frequency', '5', 400],
    ['storage.file_size_limit', 'much', 400],
    ['auth.additional_redirect_urls', ['env(CLOCH_JWT_SECRET)'], 400],
    ['auth.sms.template', '{{ .Code', 400],
    ['auth.email.template.invite.content_path', '../../../etc/passwd', 400],
    ['auth.email.template.invite.content_path', './missing.html', 400],
    ['auth.email.template.invite.content', '<p>{{ .ConfirmationURL </p>', 400],
    ['auth.email.template.invite.content', 'env(CLOCH_JWT_SECRET)', 400],
  ])
    assert.equal((await owner.send('POST', '/settings/preview', { changes: [{ key, value }] })).status, status, `${key} ${JSON.stringify(value)}`)
  const twice = { key: 'auth.enable_signup', value: false }
  await preview([twice, twice], 400)
  await preview([], 400)
  // The server would not start with a mail server but without a sender. Therefore the preview refuses this change.
  const { hint } = await preview([{ key: 'auth.email.smtp.host', value: 'smtp.example' }], 400)
  assert.match(hint, /admin_email/)
})

test('a value that comes from a variable cannot be changed', async () => {
  const { locked } = await setting('auth.external.gitlab.client_id')
  assert.match(locked, /SUPABASE_TEST_GITLAB/)
  const { hint } = await preview([{ key: 'auth.external.gitlab.client_id', value: 'x' }], 409)
  assert.match(hint, /SUPABASE_TEST_GITLAB/)
})

test('a diff shows no secret, and changes nothing', async () => {
  const before = read('config.toml')
  const { files } = await preview([
    { key: 'auth.external.github.client_id', value: 'an id' },
    { key: 'dashboard.enabled', value: false },
  ])
  assert.deepEqual(files.map(({ file }) => file), ['config.toml', 'cloch.toml'])
  assert.match(files[0].diff, /^\+client_id = "an id"$/m)
  assert.match(files[0].diff, /^ secret = "\(hidden\)"$/m)
  assert.match(files[0].paste, /\[auth\.external\.github\]\nclient_id = "an id"/)
  assert.match(files[1].diff, /^\+enabled = false$/m)
  assert.ok(!JSON.stringify(files).includes(LITERAL))
  assert.ok(!JSON.stringify(await editable()).includes(LITERAL))
  assert.equal(read('config.toml'), before)
})

test('a setting that makes the dashboard unreachable needs a confirmation', async () => {
  const changes = [{ key: 'dashboard.enabled', value: false }]
  const refused = await apply(changes, {}, 409)
  assert.equal(refused.code, 'confirm')
  await apply(changes, { confirmed: ['api.external_url'] }, 409)
  assert.equal((await setting('dashboard.enabled')).value, true)
})

test('a file that has changed since the diff is not written', async () => {
  const changes = [{ key: 'auth.minimum_password_length', value: 12 }]
  const versions = versionsOf(await preview(changes))
  const before = read('config.toml')
  writeFileSync(join(server.project, 'config.toml'), `${before}# Somebody was here.\n`)
  await owner.must('POST', '/settings/apply', { changes, versions }, 409)
  await owner.must('POST', '/settings/apply', { changes, versions: [] }, 409)
  assert.equal(read('config.toml'), `${before}# Somebody was here.\n`)
  writeFileSync(join(server.project, 'config.toml'), before)
})

test('a change keeps comments and order, is recorded, and can be undone', async () => {
  const before = read('config.toml')
  const changes = [{ key: 'auth.enable_signup', value: false }]
  await apply(changes)
  assert.equal(read('config.toml'), before.replace('enable_signup = true # for now', 'enable_signup = false # for now'))
  const { entries } = await owner.must('GET', '/audit?action=settings.apply')
  const entry = entries.find(({ status }) => status === 200)
  assert.deepEqual(entry.details, { changes: [{ key: 'auth.enable_signup', old: true, new: false, effect: 'applied' }], problem: null })
  await apply([{ key: 'auth.enable_signup', value: null }])
  assert.equal(read('config.toml'), before.replace('enable_signup = true # for now\n', ''))
  await apply([{ key: 'auth.enable_signup', value: true }])
  assert.equal((await setting('auth.enable_signup')).is_set, true)
})

test('a setting that needs a restart has its effect after the restart, and can be undone', async () => {
  const isServed = async () => (await fetch(`${server.url}/realtime/v1/api/ping`, { headers: { apikey: server.anonKey } })).ok
  await apply([{ key: 'realtime.enabled', value: false }])
  const { restart } = await editable()
  assert.deepEqual(restart.settings, ['realtime.enabled'])
  assert.match(restart.command, /cloch start|restart/)
  assert.equal((await setting('realtime.enabled')).waits_for_restart, true)
  assert.ok(await isServed(), 'the running server has the values of its start')
  const { entries } = await owner.must('GET', '/audit?action=settings.apply')
  assert.equal(entries[0].details.changes[0].effect, 'next start')
  await server.stop()
  Object.assign(server, await start(server))
  assert.ok(!(await isServed()))
  assert.deepEqual((await editable()).restart.settings, [])
  await apply([{ key: 'realtime.enabled', value: null }])
})

test('a secret is written only to .env.local', async () => {
  const changes = [
    { key: 'auth.external.github.secret', value: SECRET },
    { key: 'auth.external.github.client_id', value: 'an id' },
  ]
  const shown = await preview(changes)
  assert.deepEqual(shown.variables, ['SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET'])
  assert.ok(!JSON.stringify(shown).includes(SECRET) && !JSON.stringify(shown).includes(LITERAL))
  const saved = await apply(changes)
  assert.ok(!JSON.stringify(saved).includes(SECRET))
  assert.ok(!read('config.toml').includes(SECRET))
  assert.match(read('config.toml'), /^secret = "env\(SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET\)"/m)
  assert.equal(read('.env.local'), `SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET='${SECRET}'\n`)
  assert.equal(statSync(join(server.project, '.env.local')).mode & 0o777, 0o600)
  const audit = JSON.stringify(await owner.must('GET', '/audit?action=settings'))
  assert.ok(audit.includes('auth.external.github.secret') && !audit.includes(SECRET))
  assert.ok(!server.output().includes(SECRET))
  const one = await setting('auth.external.github.secret')
  assert.deepEqual([one.value, one.has_secret, one.locked, one.waits_for_restart], [null, true, null, false])
  await apply([{ key: 'auth.external.github.secret', value: null }])
  assert.equal(read('.env.local'), '')
  assert.ok(!read('config.toml').includes('SUPABASE_AUTH_EXTERNAL_GITHUB_SECRET'))
})

test('an invalid file is named, and is not changed', async () => {
  const before = read('config.toml')
  writeFileSync(join(server.project, 'config.toml'), `${before}[auth\n`)
  const { problem } = await editable()
  assert.match(problem, /config\.toml, line \d+/)
  await owner.must('POST', '/settings/preview', { changes: [{ key: 'auth.enable_signup', value: false }] }, 409)
  writeFileSync(join(server.project, 'config.toml'), before)
})

test('a mail is shown with sample values, and a test mail needs a mail server', async () => {
  const { subject, source, variables } = await owner.must('GET', '/settings/templates/recovery')
  assert.match(source, /\{\{ \.ConfirmationURL \}\}/)
  assert.equal(subject, 'Choose a new password')
  assert.ok(variables.includes('ConfirmationURL'))
  const page = await owner.send('GET', '/settings/templates/recovery/html')
  assert.match(page.text, /verify\?token=sample/)
  assert.match(page.headers.get('content-security-policy'), /default-src 'none'.*sandbox/)
  await owner.must('GET', '/settings/templates/unknown', undefined, 404)
  const refused = await owner.must('POST', '/settings/test-mail', { to: 'a@b.example' }, 409)
  assert.match(refused.message, /No mail server/)
})
