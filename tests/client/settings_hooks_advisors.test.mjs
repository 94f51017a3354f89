/**
 * Black-box test of two groups of the dashboard's settings. Auth hooks: an owner enables a database function and an endpoint, requests show the
 * effect, and the change is undone. Advisors: operators show an ignored finding again, and an owner edits the list of ignored findings. Refusals come
 * first. The tests also check the files and the audit.
 */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Operator, firstOperator, invited } from '../support/dashboard.mjs'
import { startProject } from '../support/program.mjs'

const HOOK = 'auth.hook.before_user_created'
const FUNCTION = 'pg-functions://postgres/public/only_our_club'
const SECRET = randomBytes(32).toString('base64')
const CLOCH_TOML = `# Ours.
[server] # kept
body_limit = "2MB"

# Decided in May.
[[advisors.ignore]]
lint = "no_primary_key" # the rule
reason = "A log has none."
`

let server
let owner
let developer
let viewer

const file = (name) => join(server.project, name)
const read = (name) => readFileSync(file(name), 'utf8')
const preview = (settings, status = 200) =>
  owner.must('POST', '/settings/preview', { changes: Object.entries(settings).map(([key, value]) => ({ key, value })) }, status)
/** Changes settings that take effect at once. Returns the diffs. */
const apply = async (settings) => {
  const { files, env_version } = await preview(settings)
  const versions = [...files.map(({ version }) => version), ...(env_version ? [env_version] : [])]
  const changes = Object.entries(settings).map(([key, value]) => ({ key, value }))
  const saved = await owner.must('POST', '/settings/apply', { changes, versions })
  assert.equal(saved.problem, null)
  assert.deepEqual(saved.changes.map(({ effect }) => effect), changes.map(() => 'applied'))
  return files
}
const setting = async (key) =>
  (await owner.must('GET', '/settings/editable')).groups.flatMap(({ settings }) => settings).find((one) => one.key === key)
const lastEntry = async (action) => (await owner.must('GET', `/audit?action=${action}`)).entries.find(({ status }) => status === 200)

let users = 0
const signUp = async (domain) => {
  const response = await fetch(`${server.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: `user-${(users += 1)}@${domain}`, password: 'kestrel harbour bright' }),
  })
  return { status: response.status, text: await response.text() }
}

before(async () => {
  server = await startProject({
    from: null,
    change: (config) => `${config}\n[auth]\n# Who may join.\nenable_signup = true # for now\n`,
    files: {
      'cloch.toml': CLOCH_TOML,
      'migrations/20260101000000_all.sql': `
        create function public.only_our_club(event jsonb) returns jsonb language plpgsql set search_path = '' as $$
        begin
          if event #>> '{user,email}' like '%@club.example' then return '{}'; end if;
          return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'Please use your address at club.example.'));
        end $$;
        grant execute on function public.only_our_club to supabase_auth_admin;
        revoke execute on function public.only_our_club from public, anon, authenticated;
        create table public.leaky (id int primary key);
        create table public.open (id int primary key);
        create table public.log (line text);
        alter table public.log enable row level security;`,
    },
  })
  owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
})

after(() => server?.remove())

test('each hook of the server is a setting with a description', async () => {
  const { groups } = await owner.must('GET', '/settings/editable')
  const { settings } = groups.find(({ name }) => name === 'hooks')
  // The hooks of Supabase's config.toml, and after_user_created.
  const names = ['after_user_created', 'before_user_created', 'custom_access_token', 'mfa_verification_attempt', 'password_verification_attempt', 'send_email', 'send_sms']
  assert.deepEqual([...new Set(settings.map(({ name }) => name))].sort(), names)
  for (const name of names) {
    const of = (key) => settings.find((one) => one.key === `auth.hook.${name}.${key}`)
    assert.match(of('enabled').hint, /^(Called|Sends) .*\. /, name)
    assert.deepEqual(['enabled', 'uri', 'secrets'].map((key) => of(key).kind.type), ['switch', 'url', 'secret'], name)
    for (const key of ['enabled', 'uri', 'secrets']) assert.equal(of(key).is_live, true, `${name}.${key}`)
  }
})

test('a hook with which the server would not start is refused', async () => {
  for (const [settings, hint] of [
    [{ [`${HOOK}.enabled`]: true }, /before_user_created\.uri/],
    [{ [`${HOOK}.enabled`]: true, [`${HOOK}.uri`]: 'ftp://hooks.example' }, /must begin with http/],
    [{ [`${HOOK}.enabled`]: true, [`${HOOK}.uri`]: 'https://hooks.example' }, /secrets.* are required/],
    [{ [`${HOOK}.enabled`]: true, [`${HOOK}.uri`]: 'https://hooks.example', [`${HOOK}.secrets`]: 'whsec_short' }, /v1,whsec_/],
    [{ [`${HOOK}.enabled`]: true, [`${HOOK}.uri`]: FUNCTION, [`${HOOK}.secrets`]: `v1,whsec_${SECRET}` }, /HTTP hooks only/],
  ])
    assert.match((await preview(settings, 400)).hint, hint)
  assert.match((await preview({ [`${HOOK}.uri`]: 'https://user:word@hooks.example' }, 400)).message, /without a user name/)
  await preview({ 'auth.hook.no_such_hook.enabled': true }, 404)
  assert.equal((await signUp('elsewhere.test')).status, 200)
})

test('a database function as a hook refuses a sign-up, is recorded, and can be undone', async () => {
  const before = read('config.toml')
  await apply({ [`${HOOK}.enabled`]: true, [`${HOOK}.uri`]: FUNCTION })
  assert.ok(read('config.toml').startsWith(before))
  assert.match(read('config.toml'), /\[auth\.hook\.before_user_created\]\nenabled = true\nuri = "pg-functions:\/\/postgres\/public\/only_our_club"\n/)
  const refused = await signUp('elsewhere.test')
  assert.equal(refused.status, 403)
  assert.match(refused.text, /Please use your address at club\.example\./)
  assert.equal((await signUp('club.example')).status, 200)
  assert.deepEqual((await lastEntry('settings.apply')).details.changes, [
    { key: `${HOOK}.enabled`, old: null, new: true, effect: 'applied' },
    { key: `${HOOK}.uri`, old: null, new: FUNCTION, effect: 'applied' },
  ])
  await apply({ [`${HOOK}.enabled`]: null, [`${HOOK}.uri`]: null })
  assert.equal((await signUp('elsewhere.test')).status, 200)
  assert.doesNotMatch(read('config.toml'), /only_our_club|enabled = true/)
  assert.match(read('config.toml'), /# Who may join\.\nenable_signup = true # for now/)
})

test('an endpoint as a hook is called with a signature; no diff or audit entry contains its secret and path', async () => {
  const calls = []
  const endpoint = createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      calls.push({ url: request.url, headers: request.headers, body: Buffer.concat(parts).toString() })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await once(endpoint.listen(0, '127.0.0.1'), 'listening')
  try {
    const origin = `http://127.0.0.1:${endpoint.address().port}`
    const diffs = await apply({ [`${HOOK}.enabled`]: true, [`${HOOK}.uri`]: `${origin}/path-with-a-token`, [`${HOOK}.secrets`]: `v1,whsec_${SECRET}` })
    assert.equal((await signUp('elsewhere.test')).status, 200)
    assert.equal(calls.length, 1)
    const [{ url, headers, body }] = calls
    assert.equal(url, '/path-with-a-token')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', Buffer.from(SECRET, 'base64')).update(signed).digest('base64')}`)
    assert.match(read('config.toml'), /^secrets = "env\(SUPABASE_AUTH_HOOK_BEFORE_USER_CREATED_SECRETS\)"$/m)
    assert.equal(read('.env.local'), `SUPABASE_AUTH_HOOK_BEFORE_USER_CREATED_SECRETS='v1,whsec_${SECRET}'\n`)
    // Developers can read the audit log but not the settings. Therefore the audit log contains only the host of the endpoint.
    const audit = JSON.stringify(await developer.must('GET', '/audit?action=settings'))
    assert.ok(audit.includes(`${origin}/…`) && !audit.includes('path-with-a-token'))
    for (const text of [JSON.stringify(diffs), read('config.toml'), audit, server.output()]) assert.ok(!text.includes(SECRET))
    assert.ok(!server.output().includes('path-with-a-token'))
    const { value, has_secret } = await setting(`${HOOK}.secrets`)
    assert.deepEqual([value, has_secret], [null, true])
    await apply({ [`${HOOK}.enabled`]: null, [`${HOOK}.uri`]: null, [`${HOOK}.secrets`]: null })
    assert.equal((await signUp('elsewhere.test')).status, 200)
    assert.equal(calls.length, 1)
    assert.equal(read('.env.local'), '')
  } finally {
    endpoint.close()
  }
})

const RULE = 'rls_disabled_in_public'
const found = async () => {
  const { lints, ignored } = await viewer.must('GET', '/advisors')
  const names = (all) => all.filter(({ name }) => name === RULE).map(({ metadata }) => metadata.name).sort()
  return { reported: names(lints), ignored: names(ignored) }
}
const ignore = (on, reason) => developer.must('POST', '/advisors/ignore', { lint: RULE, on, reason }, 204)
const unignore = async (who, on, lint = RULE) => who.send('POST', '/advisors/unignore', { lint, on })

test('only developers can show an ignored finding again, and only if it is ignored', async () => {
  await ignore('public.leaky', 'It is a list.')
  await ignore('public.open', 'It is a list.')
  assert.match(read('cloch.toml'), /\non = \["public\.leaky", "public\.open"\]\n/)
  assert.equal((await unignore(new Operator(server.url), 'public.leaky')).status, 401)
  assert.equal((await unignore(viewer, 'public.leaky')).status, 403)
  assert.equal((await unignore(developer, 'public.log')).status, 404)
  assert.equal((await unignore(developer, 'public.leaky', 'table_bloat')).status, 404)
  assert.deepEqual(await found(), { reported: [], ignored: ['leaky', 'open'] })
  const done = await unignore(developer, 'public.leaky')
  const removed = [{ lint: RULE, on: ['public.leaky'], reason: 'It is a list.' }]
  assert.deepEqual([done.status, done.json.removed], [200, removed])
  assert.deepEqual(await found(), { reported: ['leaky'], ignored: ['open'] })
  assert.deepEqual((await lastEntry('advisors.unignore')).details, { removed })
  assert.equal((await unignore(developer, 'public.leaky')).status, 404, 'it is undone already')
  assert.equal((await unignore(developer, 'public.open')).status, 200)
  assert.equal(read('cloch.toml'), CLOCH_TOML)
})

test('an entry without objects is removed completely', async () => {
  writeFileSync(file('cloch.toml'), `${CLOCH_TOML}\n[[advisors.ignore]]\nlint = "${RULE}"\nreason = "All are lists."\n`)
  assert.deepEqual(await found(), { reported: [], ignored: ['leaky', 'open'] })
  const { json } = await unignore(developer, 'public.open')
  assert.deepEqual(json.removed, [{ lint: RULE, on: [], reason: 'All are lists.' }])
  assert.deepEqual(await found(), { reported: ['leaky', 'open'], ignored: [] })
  assert.equal(read('cloch.toml'), CLOCH_TOML)
})

test('an owner edits the ignored findings as a setting, with a diff, and undoes it', async () => {
  const [known] = (await setting('advisors.ignore')).value
  assert.deepEqual(known, { lint: 'no_primary_key', on: [], reason: 'A log has none.' })
  const entry = { lint: RULE, on: ['public.leaky'], reason: 'It is a list.' }
  for (const [value, refused] of [
    [[{ ...entry, lint: 'no_such_rule' }], /no rule has the name/],
    [[{ ...entry, reason: ' ' }], /without a reason/],
  ])
    assert.match((await preview({ 'advisors.ignore': value }, 400)).hint, refused)
  for (const value of [[], 'text', [{ ...entry, on: [''] }], [{ ...entry, on: 'public.leaky' }]]) await preview({ 'advisors.ignore': value }, 400)
  assert.equal(read('cloch.toml'), CLOCH_TOML)

  const [{ file: name, diff }] = await apply({ 'advisors.ignore': [{ ...known, reason: 'It is a log.' }, entry] })
  assert.equal(name, 'cloch.toml')
  for (const line of ['-reason = "A log has none."', '+reason = "It is a log."', '+on = ["public.leaky"]']) assert.ok(diff.split('\n').includes(line), diff)
  assert.equal(
    read('cloch.toml'),
    `${CLOCH_TOML.replace('A log has none.', 'It is a log.')}\n[[advisors.ignore]]\nlint = "${RULE}"\non = ["public.leaky"]\nreason = "It is a list."\n`,
  )
  assert.deepEqual(await found(), { reported: ['open'], ignored: ['leaky'] })
  const [change] = (await lastEntry('settings.apply')).details.changes
  assert.deepEqual([change.key, change.new, change.effect], ['advisors.ignore', [{ ...known, reason: 'It is a log.' }, entry], 'applied'])
  assert.equal((await setting('advisors.ignore')).waits_for_restart, false)

  await apply({ 'advisors.ignore': [known] })
  assert.equal(read('cloch.toml'), CLOCH_TOML)
  await apply({ 'advisors.ignore': null })
  assert.doesNotMatch(read('cloch.toml'), /advisors/)
  assert.match(read('cloch.toml'), /# Decided in May\.\n/)
  assert.deepEqual(await found(), { reported: ['leaky', 'open'], ignored: [] })
})
