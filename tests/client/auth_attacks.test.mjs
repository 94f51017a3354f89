/**
 * Attacks over HTTP that have worked against other sign-in servers: forged tokens, unusual paths, redirects to other sites, privileges through
 * metadata.
 */
import assert from 'node:assert/strict'
import { createPublicKey, randomUUID } from 'node:crypto'
import { createServer, request } from 'node:http'
import { after, before, test } from 'node:test'

import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose'

import { authLink, messageTo } from '../support/inbox.mjs'
import { memoryClient } from '../support/memory_client.mjs'
import { startProject } from '../support/program.mjs'
import { signToken } from '../support/tokens.mjs'

let cloch
let admin
before(async () => {
  cloch = await startProject({
    from: null,
    change: (config) => `${config}
[auth]
site_url = "https://club.example"
additional_redirect_urls = ["https://*.club.example/**"]
[auth.email]
enable_confirmations = true
secure_password_change = false
max_frequency = "0s"
[auth.rate_limit]
email_sent = 1000
sign_in_sign_ups = 1000
token_refresh = 1000
token_verifications = 1000
[auth.external.github]
enabled = true
client_id = "a-client"
secret = "a-secret"
`,
  })
  admin = client(cloch.serviceKey).auth.admin
})
after(() => cloch?.remove())

const client = (key = cloch.anonKey, flowType) => memoryClient(cloch.url, key, flowType)

const password = 'a lighthouse on the Clyde'

const member = async (flowType) => {
  const email = `${randomUUID()}@club.example`
  const created = await admin.createUser({ email, password, email_confirm: true })
  assert.equal(created.error, null)
  const own = client(cloch.anonKey, flowType)
  const { data, error } = await own.auth.signInWithPassword({ email, password })
  assert.equal(error, null)
  return { email, own, id: created.data.user.id, token: data.session.access_token }
}

const headers = (token) => ({ apikey: cloch.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' })

/** Sends a request and does not change its path. `fetch` would normalise the path. */
const raw = (method, path, token, body, more = {}) =>
  new Promise((done, failed) => {
    const asked = request(cloch.url, { agent: false, method, path, headers: { ...headers(token), 'content-length': Buffer.byteLength(body ?? ''), ...more } }, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() }))
    })
    asked.on('error', (error) => failed(Object.assign(error, { message: `${method} ${path}: ${error.message}` })))
    asked.end(body)
  })

const base64url = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

test('forged tokens are refused by every service, and no key is fetched from where they point', async (t) => {
  const { id, token } = await member()
  const session = JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).session_id
  const stranger = await generateKeyPair('ES256', { extractable: true })
  const strangersJwk = { ...(await exportJWK(stranger.publicKey)), alg: 'ES256', use: 'sig', kid: 'stranger' }
  let fetched = 0
  const host = createServer((_, answer) => {
    fetched += 1
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify({ keys: [strangersJwk] }))
  })
  await new Promise((done) => host.listen(0, '127.0.0.1', done))
  t.after(() => host.close())
  const away = `http://127.0.0.1:${host.address().port}/jwks.json`

  const now = Math.floor(Date.now() / 1000)
  const claims = (role) => ({ sub: id, session_id: session, role, aud: 'authenticated', iat: now, exp: now + 3600, iss: `${cloch.url}/auth/v1` })
  const published = (await (await fetch(`${cloch.url}/auth/v1/.well-known/jwks.json`)).json()).keys[0]
  const spki = await exportSPKI(await importJWK(published, 'ES256', { extractable: true }))
  const der = createPublicKey(spki).export({ type: 'spki', format: 'der' })
  const hmac = (header, body, secret) => signToken(secret, body, header)
  const signed = (header, body) => new SignJWT(body).setProtectedHeader({ alg: 'ES256', typ: 'JWT', ...header }).sign(stranger.privateKey)

  const forge = async (role) => {
    const body = claims(role)
    const rsa = await generateKeyPair('RS256')
    return {
      ...Object.fromEntries(['none', 'None', 'NONE', 'nOnE', ''].map((alg) => [`alg ${alg}`, `${base64url({ alg, typ: 'JWT' })}.${base64url(body)}.`])),
      'no header': `.${base64url(body)}.`,
      'none with the real signature': `${base64url({ alg: 'none' })}.${base64url(body)}.${token.split('.')[2]}`,
      'another body under the real signature': `${token.split('.')[0]}.${base64url({ ...body, role: 'service_role' })}.${token.split('.')[2]}`,
      'public key as secret, PEM': hmac({ alg: 'HS256', typ: 'JWT', kid: published.kid }, body, spki),
      'public key as secret, DER': hmac({ alg: 'HS256', typ: 'JWT', kid: published.kid }, body, der),
      'public key as secret, JWK': hmac({ alg: 'HS256', typ: 'JWT', kid: published.kid }, body, JSON.stringify(published)),
      'empty secret': hmac({ alg: 'HS256', typ: 'JWT' }, body, ''),
      'HS384': hmac({ alg: 'HS384', typ: 'JWT' }, body, ''),
      'unknown kid': await signed({ kid: 'stranger' }, body),
      'no kid': await signed({}, body),
      'our kid, another key': await signed({ kid: published.kid }, body),
      'kid as a path': await signed({ kid: '../../../../dev/null' }, body),
      'kid as SQL': await signed({ kid: "x' union select 'secret" }, body),
      'jku': await signed({ kid: 'stranger', jku: away }, body),
      'jku under our kid': await signed({ kid: published.kid, jku: away }, body),
      'x5u': await signed({ kid: 'stranger', x5u: away }, body),
      'jwk': await signed({ kid: 'stranger', jwk: strangersJwk }, body),
      'jwk under our kid': await signed({ kid: published.kid, jwk: strangersJwk }, body),
      'x5c': await signed({ kid: 'stranger', x5c: [der.toString('base64')] }, body),
      'RS256 under an EC kid': await new SignJWT(body).setProtectedHeader({ alg: 'RS256', kid: published.kid }).sign(rsa.privateKey),
    }
  }
  for (const [what, forged] of Object.entries(await forge('authenticated'))) {
    const answer = await raw('GET', '/auth/v1/user', forged)
    assert.ok([401, 403].includes(answer.status), `${what}: ${answer.status} ${answer.text}`)
  }
  for (const [what, forged] of Object.entries(await forge('service_role'))) {
    for (const path of ['/auth/v1/admin/users', '/rest/v1/nothing', '/storage/v1/bucket']) {
      const answer = await raw('GET', path, forged)
      assert.ok([400, 401, 403].includes(answer.status), `${what} at ${path}: ${answer.status} ${answer.text}`)
    }
  }
  assert.equal(fetched, 0)
  assert.equal((await raw('GET', '/auth/v1/user', token)).status, 200)
})

test('no path gives a user access to an endpoint of administrators', async () => {
  const { id, token } = await member()
  const endpoints = [
    ['GET', 'admin/users'], ['POST', 'admin/users'], ['GET', `admin/users/${id}`], ['PUT', `admin/users/${id}`],
    ['DELETE', `admin/users/${id}`], ['GET', `admin/users/${id}/factors`], ['PUT', `admin/users/${id}/factors/${id}`],
    ['DELETE', `admin/users/${id}/factors/${id}`], ['POST', 'admin/generate_link'], ['GET', 'admin/audit'], ['POST', 'invite'],
    ['GET', 'admin/sso/providers'], ['GET', 'admin/oauth/clients'], ['GET', 'admin/custom-providers'], ['GET', `admin/users/${id}/passkeys`],
  ]
  const body = JSON.stringify({ email: 'x@club.example', type: 'recovery', role: 'service_role' })
  for (const [method, path] of endpoints) {
    for (const key of [token, cloch.anonKey]) {
      const answer = await raw(method, `/auth/v1/${path}`, key, method === 'GET' ? undefined : body)
      assert.ok([401, 403].includes(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`)
    }
  }
  const odd = [
    '/auth/v1/admin%2Fusers', '/auth/v1/admin%2fusers', '/auth/v1//admin/users', '/auth/v1/./admin/users', '/auth/v1/x/../admin/users',
    '/auth/v1/%2e%2e/v1/admin/users', '/auth/v1/..%2fv1/admin/users', '/auth/v1/user/..%2fadmin%2fusers', '/auth/v1/admin/users/',
    '/auth/v1/admin/users/..%2f..%2fsettings', '/auth/v1/admin/users;x', '/auth%2fv1%2fadmin%2fusers', '//auth/v1/admin/users',
    '/auth/v1/admin/users%00', '/auth/v1/admin\\users', '/auth/v1/settings/../admin/users', '/AUTH/v1/admin/users',
  ]
  for (const path of odd) {
    for (const key of [token, cloch.anonKey]) {
      const answer = await raw('GET', path, key)
      assert.ok(!answer.text.includes(id), `${path}: ${answer.status} ${answer.text}`)
      assert.ok(answer.status >= 300 || /text\/html/.test(answer.headers['content-type']), `${path}: ${answer.status} ${answer.text}`)
    }
  }
  // The path must contain the id as one segment, and the id must be a UUID. This is also true for requests with the secret key.
  for (const bad of ['x', '..%2fusers', '%2e%2e%2fsettings', `${id}%2ffactors`, `${id}%00`, "'%20or%201=1--"]) {
    const answer = await raw('GET', `/auth/v1/admin/users/${bad}`, cloch.serviceKey)
    assert.equal(answer.status, 404, `${bad}: ${answer.text}`)
  }
})

/** Redirect targets that do not belong to the club's sites. */
const away = [
  'https://evil.example', 'https://evil.example/', '//evil.example', '///evil.example', '/\\evil.example', 'https:evil.example', 'https:/evil.example',
  'https://club.example@evil.example', 'https://club.example:x@evil.example/', 'https://www.club.example@evil.example/a',
  'https://evil@www.club.example/', 'https://club.example\\@evil.example', 'https://evil.example\\@www.club.example/x',
  'https://evil.example\\.club.example/x', 'https://evil.example/.club.example/', 'https://evil.example?.club.example/',
  'https://evil.example#.club.example/', 'https://evil%2eexample/.club.example/', 'https://evil.example%2f.club.example/x',
  'https://evil.example%5c.club.example/x', 'https://www.club.example%2eevil.example/', 'https://club.example.evil.example/',
  'https://evilclub.example/', 'https://www.club.example%00.evil.example/', 'https://evil.example\t.club.example/x',
  'https://evil.example\n.club.example/x', 'https://evil.example%0a.club.example/x', 'http://www.club.example/', 'javascript:alert(1)//.club.example/',
  'data:text/html,https://www.club.example/', 'https://evil。example/.club.example/', 'https://evil.example／.club.example/x', 'ftp://www.club.example/x',
]

const home = (location, what) => {
  const end = new URL(location)
  assert.equal(end.protocol, 'https:', `${what} led to ${location}`)
  assert.ok(end.host === 'club.example' || end.host.endsWith('.club.example'), `${what} led to ${location}`)
  assert.deepEqual([end.username, end.password], ['', ''], `${what} led to ${location}`)
}

test('neither links nor responses redirect to another site', async () => {
  const { email, own } = await member()
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher', forwarded: 'host=evil.example', referer: 'https://evil.example/', origin: 'https://evil.example' }
  for (const target of away) {
    const query = `redirect_to=${encodeURIComponent(target)}`
    // An expired link redirects to the club's site with an error.
    const stale = await raw('GET', `/auth/v1/verify?token=none&type=signup&${query}`, cloch.anonKey, undefined, { referer: 'https://evil.example/' })
    assert.equal(stale.status, 303)
    home(stale.headers.location, target)
    const sent = await raw('POST', `/auth/v1/recover?${query}`, cloch.anonKey, JSON.stringify({ email }), forged)
    assert.equal(sent.status, 200, sent.text)
    const message = await messageTo(cloch.url, email)
    const link = new URL(authLink(message))
    assert.equal(link.origin, cloch.url)
    home(link.searchParams.get('redirect_to'), target)
    assert.ok(!message.html.includes('evil'), message.html)
    // The owner of a link can change the link's redirect target, but the server does not redirect to a site that is not the club's.
    link.searchParams.set('redirect_to', target)
    const followed = await fetch(link, { redirect: 'manual', headers: { referer: 'https://evil.example/' } })
    home(followed.headers.get('location'), target)
    assert.match(followed.headers.get('location'), /access_token=/)
    // After a sign-in through a provider, the server does not redirect to another site either.
    const begun = await own.auth.signInWithOAuth({ provider: 'github', options: { redirectTo: target } })
    const toProvider = await fetch(begun.data.url, { redirect: 'manual' })
    assert.ok([302, 400].includes(toProvider.status), `${target}: ${toProvider.status} ${await toProvider.text()}`)
    if (toProvider.status === 302) {
      const provider = new URL(toProvider.headers.get('location'))
      assert.equal(provider.host, 'github.com')
      assert.equal(provider.searchParams.get('redirect_uri'), `${cloch.url}/auth/v1/callback`)
      const refused = await fetch(`${cloch.url}/auth/v1/callback?error=access_denied&state=${provider.searchParams.get('state')}`, { redirect: 'manual' })
      home(refused.headers.get('location'), target)
    }
  }
  const good = await raw('GET', `/auth/v1/verify?token=none&type=signup&redirect_to=${encodeURIComponent('https://www.club.example/a?b=c')}`, cloch.anonKey)
  assert.ok(good.headers.location.startsWith('https://www.club.example/a?'), good.headers.location)
})

test('the inbox of a project with users on other machines requires a key', async () => {
  // site_url is https://club.example, so a proxy on this machine may forward requests from the internet. The server must not trust them as local
  // requests.
  const status = async (path, headers = {}) => (await fetch(`${cloch.url}${path}`, { headers, redirect: 'manual' })).status
  for (const path of ['/_/inbox', '/_/inbox/api/messages', '/_/inbox?key=', `/_/inbox?key=${cloch.anonKey}`, `/_/inbox?key=${'0'.repeat(64)}`]) {
    assert.equal(await status(path), 403, path)
    assert.equal(await status(path, { 'x-forwarded-for': '127.0.0.1' }), 403, path)
  }
  assert.equal(await status('/_/inbox/api/messages', { apikey: cloch.serviceKey, authorization: `Bearer ${cloch.serviceKey}` }), 200)
  const link = new URL(cloch.keys.INBOX_LINK)
  assert.equal(link.origin, cloch.url)
  assert.ok(!cloch.output().includes(link.search), 'the key is in no log: the start prints it to a terminal only')
  const entered = await fetch(link, { redirect: 'manual' })
  assert.deepEqual([entered.status, entered.headers.get('location')], [303, '/_/inbox'])
  const cookie = entered.headers.get('set-cookie')
  assert.match(cookie, /; HttpOnly; SameSite=Lax/)
  assert.equal(await status('/_/inbox/api/messages', { cookie: cookie.split(';')[0] }), 200)
  assert.match(cloch.output(), /WARN.*no mail leaves this machine/)
  assert.match(cloch.output(), /WARN.*proxy in front is missing/)
})

test('metadata gives no rights', async () => {
  const email = `${randomUUID()}@club.example`
  const wish = { role: 'service_role', app_metadata: { provider: 'x', roles: ['admin'] }, is_super_admin: true, aud: 'admin', email_confirmed_at: new Date().toISOString(), id: randomUUID() }
  const signup = await raw('POST', '/auth/v1/signup', cloch.anonKey, JSON.stringify({ email, password, ...wish, data: { ...wish, sub: randomUUID(), email: 'x@evil.example', email_verified: true } }))
  assert.equal(signup.status, 200, signup.text)
  const own = client()
  assert.equal((await own.auth.signInWithPassword({ email, password })).error?.code, 'email_not_confirmed')
  const confirmed = await fetch(authLink(await messageTo(cloch.url, email)), { redirect: 'manual' })
  assert.match(confirmed.headers.get('location'), /access_token=/)
  const { data } = await own.auth.signInWithPassword({ email, password })
  await own.auth.updateUser({ data: wish })
  const put = await raw('PUT', '/auth/v1/user', data.session.access_token, JSON.stringify({ role: 'service_role', is_super_admin: true, aud: 'admin', data: wish }))
  assert.equal(put.status, 200, put.text)
  const { data: { session } } = await own.auth.refreshSession()
  const claims = JSON.parse(Buffer.from(session.access_token.split('.')[1], 'base64url'))
  assert.deepEqual([claims.role, claims.aud, claims.email], ['authenticated', 'authenticated', email])
  assert.deepEqual(claims.app_metadata, { provider: 'email', providers: ['email'] })
  assert.deepEqual([session.user.role, session.user.id], ['authenticated', data.user.id])
  assert.equal((await raw('GET', '/auth/v1/admin/users', session.access_token)).status, 403)
  const rights = await raw('PUT', '/auth/v1/user', session.access_token, JSON.stringify({ app_metadata: { roles: ['admin'] } }))
  assert.equal(rights.status, 403, rights.text)
})

test('what may be used once is accepted once, even with concurrent requests', async () => {
  const { email } = await member()
  const own = client(cloch.anonKey, 'pkce')
  await own.auth.resetPasswordForEmail(email)
  const link = authLink(await messageTo(cloch.url, email, /password/i))
  const ends = await Promise.all(Array.from({ length: 20 }, () => fetch(link, { redirect: 'manual' })))
  const codes = ends.map((end) => new URL(end.headers.get('location')).searchParams.get('code')).filter(Boolean)
  assert.equal(codes.length, 1)
  const verifier = own.auth.storageKey && JSON.parse(await own.auth.storage.getItem(`${own.auth.storageKey}-code-verifier`)).split('/')[0]
  const exchange = () => raw('POST', '/auth/v1/token?grant_type=pkce', cloch.anonKey, JSON.stringify({ auth_code: codes[0], code_verifier: verifier }))
  const answers = await Promise.all(Array.from({ length: 20 }, exchange))
  const sessions = answers.filter((answer) => answer.status === 200)
  assert.equal(sessions.length, 1, answers.map((answer) => answer.text).join('\n'))
  for (const answer of answers) assert.ok([200, 404].includes(answer.status), answer.text)

  const { refresh_token } = JSON.parse(sessions[0].text)
  const refresh = () => raw('POST', '/auth/v1/token?grant_type=refresh_token', cloch.anonKey, JSON.stringify({ refresh_token }))
  const refreshed = await Promise.all(Array.from({ length: 20 }, refresh))
  const children = new Set(refreshed.map((answer) => (assert.equal(answer.status, 200, answer.text), JSON.parse(answer.text).refresh_token)))
  assert.equal(children.size, 1)
})

test('codes cannot be guessed within the allowed attempts', async () => {
  const { email } = await member()
  await client().auth.resetPasswordForEmail(email)
  const code = />(\d{6})</.exec((await messageTo(cloch.url, email, /password/i)).html)[1]
  const guess = (token) => raw('POST', '/auth/v1/verify', cloch.anonKey, JSON.stringify({ type: 'recovery', email, token }))
  for (let tries = 0; tries < 60; tries += 1) {
    const wrong = String((Number(code) + 1 + tries) % 1_000_000).padStart(6, '0')
    const answer = await guess(wrong)
    assert.ok([403, 429].includes(answer.status), answer.text)
  }
  const late = await guess(code)
  assert.ok([403, 429].includes(late.status), late.text)
})

test('passwords that are no passwords', async () => {
  const { email, token } = await member()
  const huge = 'x'.repeat(10 * 1024 * 1024)
  for (const [method, path] of [['POST', 'signup'], ['POST', 'token?grant_type=password'], ['PUT', 'user']]) {
    for (const tried of ['x'.repeat(73), '€'.repeat(25)]) {
      const answer = await raw(method, `/auth/v1/${path}`, token, JSON.stringify({ email: method === 'PUT' ? undefined : email, password: tried }))
      assert.ok([400, 422].includes(answer.status), `${path}: ${answer.status} ${answer.text}`)
    }
    const answer = await raw(method, `/auth/v1/${path}`, token, JSON.stringify({ email, password: huge })).catch((error) => error)
    // When the server has received enough, it may close the connection while the client is still sending.
    assert.ok(['EPIPE', 'ECONNRESET'].includes(answer.code) || [400, 413].includes(answer.status), `${path}: ${answer.status} ${answer.code}`)
  }
  assert.equal((await raw('GET', '/auth/v1/user', token)).status, 200)
})
