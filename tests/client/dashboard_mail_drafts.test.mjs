/**
 * Black-box test of mail templates in the dashboard. An unsaved text is rendered, shown, and sent to the operator. Its errors have a line and a
 * column. A text is saved to a file of the project as a setting is, with a diff, checks, an audit entry and undo.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Operator, firstOperator, invited } from '../support/dashboard.mjs'
import { messageTo, messagesTo } from '../support/inbox.mjs'
import { startProject } from '../support/program.mjs'

const KEY = 'auth.email.template.recovery.text'
const BY_LANGUAGE = '{{ if eq .Data.lang "de" }}<h1>Neues Kennwort</h1>{{ else }}<h1>New password</h1>{{ end }}\n<p>{{ .Token }}</p>\n'
const CONFIG = `
# Accounts.
[auth]
enable_signup = true # for now

# Mails.
[auth.email]
max_frequency = "0s"
`

let server
let owner
let developer
let viewer

const path = (name) => join(server.project, name)
const read = (name) => readFileSync(path(name), 'utf8')
const render = (draft, status = 200) => owner.must('POST', '/settings/mail-draft', { kind: 'recovery', ...draft }, status)
const page = () => owner.send('GET', '/settings/mail-draft/html')
const send = (draft, status = 200) => owner.must('POST', '/settings/mail-draft/send', { kind: 'recovery', ...draft }, status)
const preview = (changes, status = 200) => owner.must('POST', '/settings/preview', { changes }, status)
const apply = async (changes) => {
  const { files } = await preview(changes)
  const saved = await owner.must('POST', '/settings/apply', { changes, versions: files.map(({ version }) => version) })
  assert.deepEqual([saved.problem, saved.changes.map(({ effect }) => effect)], [null, changes.map(() => 'applied')])
  return files
}
const setting = async (key) => (await owner.must('GET', '/settings/editable')).groups.flatMap(({ settings }) => settings).find((one) => one.key === key)
const request = (path, body, key = server.anonKey) =>
  fetch(`${server.url}/auth/v1${path}`, { method: 'POST', headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: JSON.stringify(body) })
let people = 0
/** Makes the server send a recovery mail, and returns the mail. */
async function mail(user_metadata = {}) {
  const email = `drafts-${(people += 1)}@club.example`
  await request('/admin/users', { email, password: 'a long password', email_confirm: true, user_metadata }, server.serviceKey)
  assert.equal((await request('/recover', { email })).status, 200)
  return messageTo(server.url, email)
}

before(async () => {
  server = await startProject({ from: null, change: (config) => config + CONFIG })
  owner = await firstOperator(server)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
})
after(() => server?.remove())

test('only owners can render and send mails', async () => {
  for (const [method, at, body] of [
    ['POST', '/settings/mail-draft', { kind: 'recovery' }],
    ['GET', '/settings/mail-draft/html'],
    ['POST', '/settings/mail-draft/send', { kind: 'recovery' }],
  ]) {
    assert.equal((await new Operator(server.url).send(method, at, body)).status, 401, at)
    for (const one of [viewer, developer]) assert.equal((await one.send(method, at, body)).status, 403, at)
    if (method === 'POST') assert.equal((await owner.send(method, at, body, { headers: { 'x-cloch-csrf': 'wrong' } })).status, 403, at)
  }
  assert.equal((await page()).status, 404, 'this session has rendered nothing')
})

test('an unsaved text is rendered like the mail, for users of each language', async () => {
  const { samples, source, subject_source } = await owner.must('GET', '/settings/templates/recovery')
  assert.deepEqual([samples.Token, samples.Email, subject_source], ['123456', 'ann@example.com', 'Choose a new password'])
  assert.deepEqual(await render({}), { subject: 'Choose a new password', problems: [] })
  assert.ok((await page()).text.includes('Set a new password') && source.includes('{{ .ConfirmationURL }}'))
  const subject = 'Hello {{ .Email }} & co'
  assert.deepEqual(await render({ subject, content: BY_LANGUAGE, data: { lang: 'de' } }), { subject: 'Hello ann@example.com & co', problems: [] })
  const german = await page()
  assert.match(german.text, /<h1>Neues Kennwort<\/h1>\n<p>123456<\/p>/)
  assert.match(german.headers.get('content-security-policy'), /default-src 'none'.*sandbox/)
  await render({ content: BY_LANGUAGE })
  assert.match((await page()).text, /<h1>New password<\/h1>/)
  await render({ content: '<p>{{ .Data.name }}</p>', data: { name: '<script>alert(1)</script>' } })
  assert.ok(!(await page()).text.includes('<script>'))
  assert.ok(!existsSync(path('templates')), 'nothing is saved')
  await render({ kind: 'other' }, 404)
  await render({ content: 'x'.repeat(100_001) }, 413)
})

test('errors have their line and column', async () => {
  const { problems } = await render({ subject: '{{ .Email', content: '<p>\n  {{ nonsense .Email }}</p>' })
  assert.deepEqual(problems.map(({ part, line, column, is_for_user }) => [part, line, column, is_for_user]), [
    ['subject', 1, 10, false],
    ['content', 2, 6, false],
  ])
  assert.match(problems[1].message, /function "nonsense" not defined/)
  const [unset] = (await render({ content: '<p>{{ len .Data.list }}</p>' })).problems
  assert.deepEqual([unset.line, unset.column, unset.is_for_user], [1, 7, true])
  const { details, message } = await preview([{ key: KEY, value: '<p>\n{{ end }}</p>' }], 400)
  assert.deepEqual([details.line, details.part], [2, 'content'])
  assert.match(message, /^auth\.email\.template\.recovery\.text: line 2, column \d+: /)
})

test('a draft is sent only to the operator’s own address, with its subject, and is recorded', async () => {
  const { to, is_in_inbox } = await send({ subject: 'Draft of {{ .Token }}', content: BY_LANGUAGE, data: { lang: 'de' }, to: 'somebody@example.org' })
  assert.deepEqual([to, is_in_inbox], ['owner@club.example', true])
  const sent = await messageTo(server.url, 'owner@club.example', /^Draft of 123456$/)
  assert.match(sent.html, /Neues Kennwort/)
  assert.deepEqual(await messagesTo(server.url, 'somebody@example.org'), [])
  const { details } = await send({ content: '{{ end }}' }, 400)
  assert.equal(details.line, 1)
  const { entries } = await owner.must('GET', '/audit?action=settings.mail_draft_send')
  assert.deepEqual(entries.find(({ status }) => status === 200).details, { kind: 'recovery', to: 'owner@club.example' })
  assert.ok(!JSON.stringify(entries).includes('Kennwort'))
})

test('an operator can send at most 20 drafts in an hour', async () => {
  for (let number = 1; number < 20; number += 1) await send({})
  const refused = await owner.send('POST', '/settings/mail-draft/send', { kind: 'recovery' })
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
})

test('a text is saved to a file of the project, after its diff was shown', async () => {
  const before = read('config.toml')
  const changes = [{ key: KEY, value: BY_LANGUAGE }]
  const { files } = await preview(changes)
  assert.deepEqual(files.map(({ file }) => file), ['config.toml', 'templates/recovery.html'])
  assert.match(files[0].diff, /^\+content_path = ".\/supabase-config\/templates\/recovery\.html"$/m)
  assert.ok(files[1].diff.includes('+<p>{{ .Token }}</p>'))
  assert.ok(!existsSync(path('templates')), 'a preview changes nothing')
  await apply(changes)
  assert.equal(read('templates/recovery.html'), BY_LANGUAGE)
  assert.ok(read('config.toml').startsWith(before), 'order and comments are kept')
  assert.match((await mail({ lang: 'de' })).html, /<h1>Neues Kennwort<\/h1>/)
  assert.match((await mail()).html, /<h1>New password<\/h1>/)
  const { value, is_set, path: name, locked } = await setting(KEY)
  assert.deepEqual([value, is_set, name, locked], [BY_LANGUAGE, true, 'templates/recovery.html', null])
})

test('editing a saved text changes only its file, is recorded, and can be undone', async () => {
  const config = read('config.toml')
  const next = BY_LANGUAGE.replace('New', 'Another')
  assert.deepEqual((await apply([{ key: KEY, value: next }])).map(({ file }) => file), ['templates/recovery.html'])
  assert.equal(read('config.toml'), config)
  assert.match((await mail()).html, /Another password/)
  const { entries } = await owner.must('GET', '/audit?action=settings.apply')
  assert.deepEqual(entries[0].details.changes, [{ key: KEY, file: 'templates/recovery.html', old: BY_LANGUAGE, new: next, effect: 'applied' }])
  await apply([{ key: KEY, value: BY_LANGUAGE }])
  assert.equal(read('templates/recovery.html'), BY_LANGUAGE)
  assert.match((await mail()).html, /New password/)
})

test('a file that has changed since the diff is not written', async () => {
  const changes = [{ key: KEY, value: '<p>Late</p>' }]
  const versions = (await preview(changes)).files.map(({ version }) => version)
  writeFileSync(path('templates/recovery.html'), `${BY_LANGUAGE}<p>Somebody was here.</p>\n`)
  await owner.must('POST', '/settings/apply', { changes, versions }, 409)
  assert.match(read('templates/recovery.html'), /Somebody was here/)
  writeFileSync(path('templates/recovery.html'), BY_LANGUAGE)
})

test('a link, and a file outside of the project, are not overwritten', async () => {
  const file = path('templates/recovery.html')
  const elsewhere = join(server.folder, 'elsewhere.html')
  writeFileSync(elsewhere, '<p>Elsewhere</p>\n')
  unlinkSync(file)
  symlinkSync(elsewhere, file)
  assert.equal((await owner.send('POST', '/settings/preview', { changes: [{ key: KEY, value: '<p>x</p>' }] })).status, 409)
  unlinkSync(file)
  writeFileSync(file, BY_LANGUAGE)
  const config = read('config.toml')
  mkdirSync(join(server.folder, 'mails'), { recursive: true })
  writeFileSync(join(server.folder, 'mails/recovery.html'), '<p>Beside</p>\n')
  writeFileSync(path('config.toml'), config.replace('./supabase-config/templates/recovery.html', './mails/recovery.html'))
  assert.match((await setting(KEY)).locked, /outside of the project's folder/)
  assert.equal((await owner.send('POST', '/settings/preview', { changes: [{ key: KEY, value: '<p>x</p>' }] })).status, 409)
  writeFileSync(path('config.toml'), config)
  assert.equal(readFileSync(elsewhere, 'utf8'), '<p>Elsewhere</p>\n')
})

test('without the setting the default mail is sent again, and a text in config.toml stays there', async () => {
  await apply([{ key: KEY, value: null }])
  assert.doesNotMatch(read('config.toml'), /content_path/)
  assert.equal(read('templates/recovery.html'), BY_LANGUAGE, 'the file stays')
  assert.match((await mail()).html, /Choose a new password/)
  const inline = 'auth.email.template.recovery.content'
  await apply([{ key: inline, value: '<p>Inline</p>\n' }])
  assert.match((await setting(KEY)).locked, /in config\.toml/)
  await preview([{ key: KEY, value: '<p>x</p>' }], 409)
  await apply([{ key: inline, value: null }])
})
