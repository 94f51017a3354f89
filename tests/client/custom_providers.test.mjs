/**
 * Sign-in providers that an administrator adds at run time, with the unmodified client. One provider is the OAuth server of another Cloch. The other
 * one does not support OpenID, and the test chooses its responses.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { makeCertificate } from '../support/certificates.mjs'
import { memoryClient } from '../support/memory_client.mjs'
import { freePort, makeProject, start } from '../support/program.mjs'

const password = 'a lighthouse on the Clyde'
const folder = mkdtempSync(join(tmpdir(), 'cloch-authority-'))
const { authority, certificate, key } = makeCertificate(folder)
let club
let closed
let school
let issuer
let provider
let admin

/** `profile`: the user's profile at the provider without OpenID. `asked`: the requests that this provider has received. */
let profile = {}
const asked = []

before(async () => {
  const port = await freePort()
  issuer = `https://localhost:${port}/auth/v1`
  const ofSchool = `\n[auth]\nsite_url = "https://school.example"\nexternal_url = "${issuer}"\n[auth.oauth_server]\nenabled = true\n`
  const tls = `[server.tls]\nlisten = "127.0.0.1:${port}"\ncertificate = ${JSON.stringify(certificate)}\nkey = ${JSON.stringify(key)}\n`
  const ofClub = (config) => `${config}\n[auth]\nsite_url = "https://club.example"\n`
  const local = '[outbound]\nallowed_networks = ["127.0.0.0/8", "::1/128"]\n'
  const environment = { SSL_CERT_FILE: authority }
  school = await start(await makeProject({ from: null, change: (config) => config + ofSchool, files: { 'cloch.toml': tls } }))
  club = await start(await makeProject({ from: null, change: ofClub, files: { 'cloch.toml': local } }), { environment })
  closed = await start(await makeProject({ from: null, change: ofClub }), { environment })
  admin = memoryClient(club.url, club.serviceKey).auth.admin
  provider = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      asked.push({ path: request.url, headers: request.headers, form: Object.fromEntries(new URLSearchParams(body)) })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(request.url === '/token' ? { access_token: 'their-token', token_type: 'bearer' } : profile))
    })
  })
  await new Promise((done) => provider.listen(0, '127.0.0.1', done))
})
after(async () => {
  provider?.close()
  for (const cloch of [club, closed, school]) await cloch?.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Requests a URL. Returns the URL to which the response redirects. */
async function next(address) {
  const answer = await fetch(address, { redirect: 'manual' })
  assert.ok([302, 303].includes(answer.status), `${answer.status} at ${address}: ${await answer.text()}`)
  return new URL(answer.headers.get('location'))
}

const begin = async (name, flowType = 'implicit') => {
  const own = memoryClient(club.url, club.anonKey, flowType)
  const { data, error } = await own.auth.signInWithOAuth({ provider: name, options: { skipBrowserRedirect: true } })
  assert.ifError(error)
  return { own, sent: await next(data.url) }
}

/** Signs in with the provider without OpenID. Returns the final URL. */
async function signIn(name = 'custom:guild') {
  const { sent } = await begin(name)
  return next(`${club.url}/auth/v1/callback?code=abc&state=${sent.searchParams.get('state')}`)
}

const tokensOf = (end) => Object.fromEntries(new URLSearchParams(end.hash.slice(1)))
const userOf = async (end) => (await memoryClient(club.url, club.anonKey).auth.getUser(tokensOf(end).access_token)).data.user

async function guild(more = {}) {
  const at = (path) => `https://localhost:${provider.address().port}${path}`
  await admin.customProviders.deleteProvider('custom:guild')
  const { data, error } = await admin.customProviders.createProvider({
    provider_type: 'oauth2', identifier: 'custom:guild', name: 'Guild', client_id: 'club', client_secret: 'their secret', scopes: ['me'],
    authorization_url: at('/authorize'), token_url: at('/token'), userinfo_url: at('/userinfo'), ...more,
  })
  assert.ifError(error)
  return data
}

test('a provider in a private network is contacted only if cloch.toml allows it', async () => {
  const strict = memoryClient(closed.url, closed.serviceKey).auth.admin
  const openid = { provider_type: 'oidc', identifier: 'custom:school', name: 'School', client_id: 'x', client_secret: 'y', issuer }
  const { error } = await strict.customProviders.createProvider(openid)
  assert.deepEqual([error.status, error.code], [400, 'validation_failed'])
  assert.match(error.message, /private network/)
  const wrong = await admin.customProviders.createProvider({ ...openid, issuer: issuer.replace('/auth/v1', '/rest/v1') })
  assert.equal(wrong.error.code, 'validation_failed')
  assert.match(wrong.error.message, /OIDC discovery/)
  const another = await admin.customProviders.createProvider({ ...openid, issuer: `${issuer}/x`, discovery_url: `${issuer}/.well-known/openid-configuration` })
  assert.match(another.error.message, /another issuer/)
})

test('one Cloch signs in with the OAuth server of another', async () => {
  const theirs = memoryClient(school.url, school.serviceKey).auth.admin
  const account = { email: 'ann@school.example', password }
  assert.ifError((await theirs.createUser({ ...account, email_confirm: true, user_metadata: { name: 'Ann' } })).error)
  const ann = memoryClient(school.url, school.anonKey)
  assert.ifError((await ann.auth.signInWithPassword(account)).error)
  const app = await theirs.oauth.createClient({ client_name: 'The club', redirect_uris: [`${club.url}/auth/v1/callback`] })
  assert.ifError(app.error)

  const { data: made, error } = await admin.customProviders.createProvider({
    provider_type: 'oidc', identifier: 'custom:school', name: 'School', client_id: app.data.client_id, client_secret: app.data.client_secret,
    issuer, scopes: ['email', 'profile'], custom_claims_allowlist: ['auth_time', 'absent'],
  })
  assert.ifError(error)
  assert.deepEqual([made.scopes, made.discovery_document.issuer, made.client_secret], [['openid', 'email', 'profile'], issuer, undefined])

  const come = async (flowType) => {
    const { own, sent } = await begin('custom:school', flowType)
    assert.equal(sent.origin + sent.pathname, `${issuer}/oauth/authorize`)
    // The browser's requests to the school use the school's HTTP port, because this process does not trust the school's certificate authority.
    const page = await next(`${school.url}${sent.pathname}${sent.search}`)
    const id = page.searchParams.get('authorization_id')
    const { data } = await ann.auth.oauth.getAuthorizationDetails(id)
    const back = data.redirect_url ?? (await ann.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).data.redirect_url
    return { own, end: await next(back), back }
  }
  const first = await come('implicit')
  assert.equal(first.end.origin, 'https://club.example')
  const user = await userOf(first.end)
  assert.deepEqual([user.email, user.app_metadata.provider, user.user_metadata.full_name], ['ann@school.example', 'custom:school', 'Ann'])
  assert.deepEqual(Object.keys(user.user_metadata.custom_claims), ['auth_time'])
  assert.equal(user.identities[0].identity_data.iss, issuer)
  // The server refuses a callback that is sent for the second time.
  assert.match((await next(first.back)).search, /error_code=bad_oauth_state/)

  const second = await come('pkce')
  const session = await second.own.auth.exchangeCodeForSession(second.end.searchParams.get('code'))
  assert.ifError(session.error)
  assert.equal(session.data.user.id, user.id)

  // The provider refuses the wrong secret. The server uses a new secret at once.
  assert.ifError((await admin.customProviders.updateProvider('custom:school', { client_secret: 'wrong' })).error)
  assert.match((await come('implicit')).end.search, /error=server_error/)
  assert.ifError((await admin.customProviders.updateProvider('custom:school', { client_secret: app.data.client_secret })).error)
  assert.equal((await userOf((await come('implicit')).end)).id, user.id)
})

test('a provider without OpenID: its claims, under the names that the administrator configured', async () => {
  await guild({ attribute_mapping: { sub: 'id', name: 'display', email: 'mail' }, custom_claims_allowlist: ['groups', 'display'], authorization_params: { prompt: 'select_account' } })
  profile = { id: 7, display: 'Bob', mail: 'bob@guild.example', groups: ['tailors'], role: 'service_role', password: 'x' }
  asked.length = 0
  const { sent } = await begin('custom:guild')
  const { client_id: id, scope, prompt, code_challenge: challenge, state } = Object.fromEntries(sent.searchParams)
  assert.deepEqual([id, scope, prompt, Boolean(challenge)], ['club', 'me', 'select_account', true])
  const user = await userOf(await next(`${club.url}/auth/v1/callback?code=abc&state=${state}`))
  assert.deepEqual([user.email, user.role, user.app_metadata.provider], ['bob@guild.example', 'authenticated', 'custom:guild'])
  assert.equal(user.identities[0].id, '7')
  const { name, custom_claims: custom, email_verified: verified, password: leaked } = user.identities[0].identity_data
  assert.deepEqual([name, custom, verified, leaked], ['Bob', { groups: ['tailors'], display: 'Bob' }, false, undefined])
  assert.deepEqual(asked.map(({ path }) => path), ['/token', '/userinfo'])
  assert.equal(asked[0].headers.authorization, `Basic ${Buffer.from('club:their+secret').toString('base64')}`)
  assert.ok(asked[0].form.code_verifier.length >= 43)
  assert.equal(asked[1].headers.authorization, 'Bearer their-token')
})

test('an address that the provider has not verified opens a new account, but no existing one', async () => {
  await guild()
  assert.ifError((await admin.createUser({ email: 'taken@club.example', password, email_confirm: true })).error)
  for (const more of [{}, { email_verified: false }, { email_verified: 'no' }, { email_verified: 1 }]) {
    profile = { sub: `taken-${JSON.stringify(more)}`, email: 'Taken@club.example', ...more }
    assert.match((await signIn()).search, /error_code=provider_email_needs_verification/, JSON.stringify(more))
  }
  // A mapping cannot replace the verified e-mail claim by another claim either.
  await guild({ attribute_mapping: { email: 'nickname' } })
  profile = { sub: 'mapped', email: 'mallory@guild.example', email_verified: true, nickname: 'taken@club.example' }
  assert.match((await signIn()).search, /error_code=provider_email_needs_verification/)

  await guild()
  profile = { sub: 'new', email: 'new@guild.example' }
  assert.equal((await userOf(await signIn())).email, 'new@guild.example')
  profile = { sub: 'owner', email: 'taken@club.example', email_verified: true }
  const owner = await userOf(await signIn())
  assert.deepEqual(owner.app_metadata.providers, ['email', 'custom:guild'])
  const { data } = await admin.listUsers({ perPage: 1000 })
  assert.equal(data.users.filter(({ email }) => email === 'taken@club.example').length, 1)
})

test('an invalid profile signs nobody in, and a deleted provider is refused', async () => {
  await guild()
  for (const wrong of [{}, [], { sub: '' }, { email: 'x@guild.example' }, { sub: 'x', email: 7 }, 'x'.repeat(2 << 20)]) {
    profile = wrong
    assert.match((await signIn()).search, /error=server_error/, JSON.stringify(wrong).slice(0, 40))
  }
  profile = { sub: 'x', email: 'x@guild.example' }
  const { sent } = await begin('custom:guild')
  assert.ifError((await admin.customProviders.updateProvider('custom:guild', { enabled: false })).error)
  const end = await next(`${club.url}/auth/v1/callback?code=abc&state=${sent.searchParams.get('state')}`)
  assert.match(end.search, /error_code=oauth_provider_not_supported/)
})
