/** Auth hooks over HTTP: the calls are signed as in Standard Webhooks, and auth changes its behaviour according to the responses. */
import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { messagesTo } from '../support/inbox.mjs'
import { startProject } from '../support/program.mjs'

const secrets = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
let server
let calls = []
/** What the hook server responds to the next calls: `[status, headers, body]`. */
let says
let cloch
let service
before(async () => {
  server = createServer((asked, answer) => {
    const parts = []
    asked.on('data', (part) => parts.push(part))
    asked.on('end', () => {
      calls.push({ path: asked.url, method: asked.method, headers: asked.headers, body: Buffer.concat(parts).toString() })
      const [status, headers, body] = says(asked.url, calls.length)
      answer.writeHead(status, headers).end(body)
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const uri = (path) => `http://127.0.0.1:${server.address().port}/${path}`
  const signed = `v1,whsec_${secrets[0]}|v1,whsec_${secrets[1]}`
  cloch = await startProject({
    from: null,
    change: (config) => `${config}
[auth]
site_url = "https://club.example"
[auth.email]
enable_confirmations = true
max_frequency = "0s"
[auth.hook.send_email]
enabled = true
uri = "${uri('mail')}"
secrets = "${signed}"
[auth.hook.custom_access_token]
enabled = true
uri = "${uri('token')}"
secrets = "${signed}"
`,
  })
  service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
})
after(async () => {
  server?.close()
  await cloch?.remove()
})

const json = (status, body) => [status, { 'content-type': 'application/json' }, JSON.stringify(body)]
const kindly = (path) => (path === '/mail' ? json(200, {}) : json(200, { claims: JSON.parse(calls.at(-1).body).claims }))
beforeEach(() => {
  calls = []
  says = kindly
})

const client = () => createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
const password = 'a lighthouse on the Clyde'

/** Verifies the signature of each call, as a receiver does. */
const check = ({ headers, body }) => {
  const id = headers['webhook-id']
  const at = headers['webhook-timestamp']
  assert.ok(id && Math.abs(Date.now() / 1000 - Number(at)) < 300)
  const given = headers['webhook-signature'].split(/,? /)
  for (const secret of secrets) {
    const mac = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${at}.${body}`).digest('base64')
    assert.ok(given.includes(`v1,${mac}`), headers['webhook-signature'])
  }
  assert.equal(headers['content-type'], 'application/json')
}

const users = async (email) => {
  const { data, error } = await service.auth.admin.listUsers()
  assert.equal(error, null)
  return data.users.filter((user) => user.email === email)
}

test('the project sends its own mails: one signed call contains everything that a mail needs', async () => {
  const email = `${randomUUID()}@club.example`
  const { error } = await client().auth.signUp({ email, password, options: { emailRedirectTo: 'https://club.example/in', data: { name: 'Ann' } } })
  assert.equal(error, null)
  assert.equal(calls.length, 1)
  const [call] = calls
  check(call)
  assert.equal(call.method, 'POST')
  const { user, email_data: mail } = JSON.parse(call.body)
  assert.deepEqual([user.email, user.user_metadata.name, user.encrypted_password], [email, 'Ann', undefined])
  assert.deepEqual(
    [mail.email_action_type, mail.redirect_to, mail.site_url, mail.token_new, mail.token_hash_new],
    ['signup', 'https://club.example/in', `${cloch.url}/auth/v1`, '', ''],
  )
  assert.match(mail.token, /^\d{6}$/)
  // Auth does not send the mail, because the hook does. The token and the token hash that the hook received are both valid.
  assert.deepEqual(await messagesTo(cloch.url, email), [])
  const verified = await client().auth.verifyOtp({ token_hash: mail.token_hash, type: 'signup' })
  assert.equal(verified.error, null)
  await client().auth.resetPasswordForEmail(email)
  const recovery = JSON.parse(calls.at(-1).body).email_data
  assert.equal(recovery.email_action_type, 'recovery')
  assert.equal((await client().auth.verifyOtp({ email, token: recovery.token, type: 'recovery' })).error, null)
})

test('if the mail server refuses a mail, the action that caused it is rolled back', async () => {
  const email = `${randomUUID()}@club.example`
  const refusals = [
    [() => json(200, { error: { http_code: 422, message: 'no such mailbox' } }), 422, /no such mailbox/],
    [() => json(400, {}), 500, /Invalid payload/],
    [() => json(401, {}), 500, /authorization/],
    [() => json(500, {}), 500, /500/],
    [() => [302, { location: 'https://evil.example' }, ''], 500, /302/],
    [() => [200, { 'content-type': 'text/html' }, '{}'], 400, /content-type/i],
    [() => [200, { 'content-type': 'application/json' }, 'no JSON'], 500, /./],
    [() => [200, { 'content-type': 'application/json' }, `"${'x'.repeat(300_000)}"`], 422, /size/i],
  ]
  for (const [answer, status, message] of refusals) {
    says = answer
    // The request does not use the client, because the client does not expose the body of a response with status 500.
    const refused = await fetch(`${cloch.url}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: cloch.anonKey, 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
      body: JSON.stringify({ email, password }),
    })
    const error = await refused.json()
    assert.equal(refused.status, status, error.message)
    assert.match(error.message, message)
    assert.deepEqual(await users(email), [])
  }
  says = kindly
  assert.equal((await client().auth.signUp({ email, password })).error, null)
  assert.equal((await users(email)).length, 1)
})

test('a server that requests a retry gets one', async () => {
  const email = `${randomUUID()}@club.example`
  says = (path, count) => (count < 3 ? [503, { 'retry-after': 'true' }, ''] : kindly(path))
  assert.equal((await client().auth.signUp({ email, password })).error, null)
  assert.equal(calls.length, 3)
  for (const call of calls) check(call)
  assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 3)
})

test('claims set by the project are in the token; if the hook refuses, no token is issued', async () => {
  const email = `${randomUUID()}@club.example`
  assert.equal((await service.auth.admin.createUser({ email, password, email_confirm: true })).error, null)
  says = (path) => {
    const { claims, authentication_method, user_id } = JSON.parse(calls.at(-1).body)
    assert.equal(user_id, claims.sub)
    return path === '/token' ? json(200, { claims: { ...claims, club: 'gourock', how: authentication_method } }) : kindly(path)
  }
  const own = client()
  const { data, error } = await own.auth.signInWithPassword({ email, password })
  assert.equal(error, null)
  check(calls.at(-1))
  const claims = JSON.parse(Buffer.from(data.session.access_token.split('.')[1], 'base64url'))
  assert.deepEqual([claims.club, claims.how], ['gourock', 'password'])
  says = () => json(200, { error: { http_code: 403, message: 'closed today' } })
  const refused = await own.auth.refreshSession({ refresh_token: data.session.refresh_token })
  assert.deepEqual([refused.error?.status, refused.error?.message], [403, 'closed today'])
  // The refused refresh has not used up the refresh token.
  says = kindly
  assert.equal((await client().auth.refreshSession({ refresh_token: data.session.refresh_token })).error, null)
})
