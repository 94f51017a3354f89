/** Calls every auth method of the unmodified client, for signed-in users and for administrators, with the implicit flow and with PKCE. */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { authLink, messageTo } from '../support/inbox.mjs'
import { memoryClient } from '../support/memory_client.mjs'
import { makeProject, sleep, start, startProject } from '../support/program.mjs'

const settings = `
[auth]
site_url = "https://club.example"
additional_redirect_urls = ["https://*.club.example/**"]
enable_anonymous_sign_ins = true
enable_manual_linking = true

[auth.email]
enable_confirmations = true
secure_password_change = false
max_frequency = "0s"

[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true

[auth.external.google]
enabled = true
client_id = "a-client"
secret = "a-secret"
`

let cloch
let admin
before(async () => {
  cloch = await startProject({ from: null, change: (config) => config + settings })
  admin = client(cloch.serviceKey).auth.admin
})
after(() => cloch?.remove())

/** Creates a client with its own session storage. */
const client = (key = cloch.anonKey, flowType) => memoryClient(cloch.url, key, flowType)

const address = () => `${randomUUID()}@club.example`
const password = 'a lighthouse on the Clyde'

/** Expects that a result is not an error. Returns its data. */
const good = ({ data, error }) => {
  assert.equal(error, null)
  return data
}

const refused = ({ error }, code, status) => {
  assert.equal(error?.code, code, error?.message)
  if (status) assert.equal(error.status, status)
}

/** Creates a confirmed user who is signed in. */
const member = async (flowType) => {
  const email = address()
  const { user } = good(await admin.createUser({ email, password, email_confirm: true }))
  const own = client(cloch.anonKey, flowType)
  good(await own.auth.signInWithPassword({ email, password }))
  return { email, own, id: user.id }
}

/** Follows the link of the newest mail, as a browser does. Returns the final URL. */
const follow = async (email, subject) => {
  const answer = await fetch(authLink(await messageTo(cloch.url, email, subject)), { redirect: 'manual' })
  assert.equal(answer.status, 303)
  return new URL(answer.headers.get('location'))
}

const fragment = (url) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))

const codeOf = async (email, subject) => />(\d{6})</.exec((await messageTo(cloch.url, email, subject)).html)[1]

test('sign-up, confirmation, and the resulting session', async () => {
  const email = address()
  const own = client()
  const events = []
  own.auth.onAuthStateChange((event) => events.push(event))
  const options = { data: { name: 'Ann' }, emailRedirectTo: 'https://www.club.example/welcome' }
  const signedUp = good(await own.auth.signUp({ email, password, options }))
  assert.equal(signedUp.session, null)
  assert.equal(signedUp.user.identities.length, 1)
  refused(await own.auth.signInWithPassword({ email, password }), 'email_not_confirmed', 400)
  good(await own.auth.resend({ type: 'signup', email, options: { emailRedirectTo: options.emailRedirectTo } }))
  const end = await follow(email)
  assert.equal(end.origin + end.pathname, 'https://www.club.example/welcome')
  const { access_token, refresh_token, type } = fragment(end)
  assert.equal(type, 'signup')
  good(await own.auth.setSession({ access_token, refresh_token }))
  assert.equal(good(await own.auth.getUser()).user.user_metadata.name, 'Ann')
  const claims = good(await own.auth.getClaims()).claims
  assert.equal(claims.email, email)
  assert.equal(claims.aal, 'aal1')
  const refreshed = good(await own.auth.refreshSession())
  assert.notEqual(refreshed.session.refresh_token, refresh_token)
  good(await own.auth.signOut())
  refused(await own.auth.signInWithPassword({ email, password: 'wrong' }), 'invalid_credentials', 400)
  assert.ok(events.includes('SIGNED_IN') && events.includes('TOKEN_REFRESHED') && events.includes('SIGNED_OUT'))
})

test('the response for an address with an account is the same as for a new one', async () => {
  const { email } = await member()
  const again = good(await client().auth.signUp({ email, password }))
  assert.deepEqual([again.session, again.user.identities], [null, []])
})

test('PKCE: only the browser that made the request can finish the sign-in', async () => {
  const email = address()
  const own = client(cloch.anonKey, 'pkce')
  good(await own.auth.signUp({ email, password }))
  const code = (await follow(email)).searchParams.get('code')
  refused(await client(cloch.anonKey, 'pkce').auth.exchangeCodeForSession(code), 'pkce_code_verifier_not_found')
  assert.equal(good(await own.auth.exchangeCodeForSession(code)).user.email, email)
  good(await own.auth.resetPasswordForEmail(email))
  const events = []
  own.auth.onAuthStateChange((event) => events.push(event))
  const recovery = (await follow(email, /password/i)).searchParams.get('code')
  good(await own.auth.exchangeCodeForSession(recovery))
  assert.ok(events.includes('PASSWORD_RECOVERY'))
  good(await own.auth.updateUser({ password: 'another lighthouse' }))
  good(await client().auth.signInWithPassword({ email, password: 'another lighthouse' }))
})

test('codes: sign-in without a password, once per code', async () => {
  const email = address()
  const own = client()
  refused(await own.auth.signInWithOtp({ email, options: { shouldCreateUser: false } }), 'otp_disabled', 422)
  good(await own.auth.signInWithOtp({ email, options: { data: { name: 'Bob' } } }))
  const token = await codeOf(email)
  refused(await own.auth.verifyOtp({ email: address(), token, type: 'email' }), 'otp_expired', 403)
  const session = good(await own.auth.verifyOtp({ email, token, type: 'email' }))
  assert.equal(session.user.user_metadata.name, 'Bob')
  refused(await own.auth.verifyOtp({ email, token, type: 'email' }), 'otp_expired', 403)
  good(await own.auth.signInWithOtp({ email }))
  const link = new URL(authLink(await messageTo(cloch.url, email, /sign in/i)))
  good(await client().auth.verifyOtp({ token_hash: link.searchParams.get('token'), type: 'magiclink' }))
})

test('recovery sets a new password', async () => {
  const { email } = await member()
  const own = client()
  good(await own.auth.resetPasswordForEmail(email, { redirectTo: 'https://www.club.example/set' }))
  good(await own.auth.resetPasswordForEmail(address()))
  const end = await follow(email, /password/i)
  const { access_token, refresh_token, type } = fragment(end)
  assert.deepEqual([end.pathname, type], ['/set', 'recovery'])
  good(await own.auth.setSession({ access_token, refresh_token }))
  refused(await own.auth.updateUser({ password }), 'same_password', 422)
  good(await own.auth.updateUser({ password: 'another lighthouse' }))
})

test('a new address requires two confirmations', async () => {
  const { own, email } = await member()
  const next = address()
  assert.equal(good(await own.auth.updateUser({ email: next })).user.new_email, next)
  good(await own.auth.resend({ type: 'email_change', email }))
  const half = await own.auth.verifyOtp({ email, token: await codeOf(email, /address/i), type: 'email_change' })
  assert.deepEqual([half.error, half.data.session], [null, null])
  const end = await follow(next, /address/i)
  assert.equal(fragment(end).type, 'email_change')
  assert.equal(good(await own.auth.getUser()).user.email, next)
})

test('changes by a user, and reauthentication', async () => {
  const { own, email } = await member()
  good(await own.auth.updateUser({ data: { theme: 'dark' } }))
  assert.equal(good(await own.auth.getUserIdentities()).identities[0].provider, 'email')
  good(await own.auth.reauthenticate())
  assert.match((await messageTo(cloch.url, email)).subject, /^\d{6}/)
  refused(await client().auth.reauthenticate(), undefined)
})

test('anonymous users', async () => {
  const own = client()
  const { user } = good(await own.auth.signInAnonymously({ options: { data: { theme: 'dark' } } }))
  assert.equal(user.is_anonymous, true)
  const email = address()
  good(await own.auth.updateUser({ email }))
  await follow(email)
  const after = good(await own.auth.refreshSession()).user
  assert.deepEqual([after.is_anonymous, after.email, after.id], [false, email, user.id])
})

test('sign-out of this session, of the other sessions, and of all sessions', async () => {
  const { email, own } = await member()
  const other = client()
  good(await other.auth.signInWithPassword({ email, password }))
  assert.equal((await own.auth.signOut({ scope: 'others' })).error, null)
  refused(await other.auth.getUser(), undefined)
  assert.equal((await own.auth.getUser()).error, null)
  const { session } = good(await own.auth.getSession())
  assert.equal((await admin.signOut(session.access_token, 'global')).error, null)
  refused(await own.auth.getUser(session.access_token), undefined)
})

/** Returns the TOTP code (RFC 6238) for a base32 secret. */
const totp = (secret) => {
  const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  return String((mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff) % 1e6).padStart(6, '0')
}

test('a second factor raises the session', async () => {
  const { own, id } = await member()
  const factor = good(await own.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'app' }))
  assert.match(factor.totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg/)
  const challenge = good(await own.auth.mfa.challenge({ factorId: factor.id }))
  const wrong = await own.auth.mfa.verify({ factorId: factor.id, challengeId: challenge.id, code: '000000' })
  refused(wrong, 'mfa_verification_failed', 422)
  good(await own.auth.mfa.challengeAndVerify({ factorId: factor.id, code: totp(factor.totp.secret) }))
  const level = good(await own.auth.mfa.getAuthenticatorAssuranceLevel())
  assert.deepEqual([level.currentLevel, level.nextLevel], ['aal2', 'aal2'])
  assert.equal(good(await own.auth.mfa.listFactors()).totp.length, 1)
  assert.equal(good(await admin.mfa.listFactors({ userId: id })).factors.length, 1)
  good(await own.auth.mfa.unenroll({ factorId: factor.id }))
  const second = good(await own.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'other' }))
  good(await admin.mfa.deleteFactor({ id: second.id, userId: id }))
  refused(await own.auth.mfa.enroll({ factorType: 'phone', phone: '+441475000000' }), 'mfa_phone_enroll_not_enabled', 422)
})

test('providers: authorization URLs, and providers that are not enabled', async () => {
  const { own } = await member()
  refused(await own.auth.signInWithIdToken({ provider: 'github', token: 'a.b.c' }), 'validation_failed', 400)
  refused(await own.auth.signInWithSSO({ domain: 'club.example' }), 'saml_provider_disabled', 404)
  refused(await own.auth.signInWithOtp({ phone: '+441475000000' }), 'phone_provider_disabled', 400)
  const identity = good(await own.auth.getUserIdentities()).identities[0]
  refused(await own.auth.unlinkIdentity(identity), 'single_identity_not_deletable', 422)
})

test('the administrator', async () => {
  const user = client()
  refused(await user.auth.admin.listUsers(), 'not_admin', 403)
  const email = address()
  const created = good(await admin.createUser({ email, password, user_metadata: { name: 'Cid' }, app_metadata: { club: 1 } })).user
  assert.equal(created.app_metadata.club, 1)
  refused(await admin.createUser({ email }), 'email_exists', 422)
  assert.equal(good(await admin.getUserById(created.id)).user.email, email)
  const changed = good(await admin.updateUserById(created.id, { email_confirm: true, ban_duration: '1h' })).user
  assert.ok(changed.banned_until)
  refused(await user.auth.signInWithPassword({ email, password }), 'user_banned', 400)
  good(await admin.updateUserById(created.id, { ban_duration: 'none' }))
  const page = good(await admin.listUsers({ page: 1, perPage: 1 }))
  assert.ok(page.users.length === 1 && page.total > 1 && page.nextPage === 2)
  const invited = address()
  const options = { redirectTo: 'https://www.club.example/join', data: { name: 'Dee' } }
  assert.ok(good(await admin.inviteUserByEmail(invited, options)).user.invited_at)
  assert.equal(fragment(await follow(invited)).type, 'invite')
  for (const type of ['magiclink', 'recovery']) {
    const { properties } = good(await admin.generateLink({ type, email }))
    assert.equal(properties.verification_type, type)
    const hash = { token_hash: properties.hashed_token, type }
    assert.equal(good(await client().auth.verifyOtp(hash)).user.email, email)
  }
  good(await admin.deleteUser(created.id, true))
  good(await admin.deleteUser(created.id))
  refused(await admin.getUserById(created.id), 'user_not_found', 404)
  refused(await admin.oauth.listClients(), 'feature_disabled', 404)
})

// This is the behaviour of Supabase's gateway. If the Authorization header is missing, the gateway sets it to the API key; it does not change an
// existing header. For auth, the publishable key alone does not become a bearer token, because clients expect 401.
test('a key alone is used as the bearer token; a user token takes precedence', async () => {
  const ask = async (path, headers) => {
    const answer = await fetch(`${cloch.url}/auth/v1${path}`, { headers: { 'x-supabase-api-version': '2024-01-01', ...headers } })
    return [answer.status, (await answer.json()).code]
  }
  assert.deepEqual(await ask('/admin/users', { apikey: cloch.serviceKey }), [200, undefined])
  assert.deepEqual(await ask('/admin/users', { apikey: cloch.anonKey }), [401, 'no_authorization'])
  assert.deepEqual(await ask('/user', { apikey: cloch.anonKey }), [401, 'no_authorization'])
  assert.deepEqual(await ask('/user', {}), [401, 'no_authorization'])
  assert.deepEqual(await ask('/user', { apikey: `${cloch.serviceKey}x` }), [403, 'bad_jwt'])
  assert.deepEqual(await ask('/admin/users', { apikey: cloch.serviceKey, authorization: 'Basic dTpw' }), [401, 'no_authorization'])
  const { own } = await member()
  const token = (await own.auth.getSession()).data.session.access_token
  assert.deepEqual(await ask('/admin/users', { apikey: cloch.serviceKey, authorization: `Bearer ${token}` }), [403, 'not_admin'])
  assert.deepEqual(await ask('/user', { apikey: cloch.serviceKey, authorization: `Bearer ${token}` }), [200, undefined])
})

test('twenty tabs that refresh concurrently stay signed in', async () => {
  const { own } = await member()
  const { session } = good(await own.auth.getSession())
  const tabs = Array.from({ length: 20 }, () => client().auth.refreshSession({ refresh_token: session.refresh_token }))
  const tokens = new Set((await Promise.all(tabs)).map((tab) => good(tab).session.refresh_token))
  assert.equal(tokens.size, 1)
})

test('a kill between two steps leaves no incomplete user and no used token', async () => {
  const place = await makeProject({ from: null, change: (config) => config + settings })
  let program = await start(place)
  try {
    const here = () => createClient(place.url, program.anonKey, { auth: { persistSession: false, autoRefreshToken: false } })
    const server = () => createClient(place.url, program.serviceKey, { auth: { persistSession: false } }).auth.admin
    const email = address()
    good(await server().createUser({ email, password, email_confirm: true }))
    let { refresh_token } = good(await here().auth.signInWithPassword({ email, password })).session
    for (const delay of [0, 5, 15, 40]) {
      const refresh = here().auth.refreshSession({ refresh_token })
      const signUps = Array.from({ length: 6 }, () => here().auth.signUp({ email: address(), password }))
      await sleep(delay)
      await program.kill()
      await Promise.allSettled([refresh, ...signUps])
      program = await start(place)
      refresh_token = good(await here().auth.refreshSession({ refresh_token })).session.refresh_token
      for (const { id } of good(await server().listUsers({ perPage: 1000 })).users) {
        const { user } = good(await server().getUserById(id))
        assert.equal(user.identities.length, 1)
        assert.ok(user.confirmation_sent_at || user.email_confirmed_at)
      }
    }
  } finally {
    await program.remove()
  }
})
