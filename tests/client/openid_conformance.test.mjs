/**
 * The checks of OpenID's conformance plan for basic providers (oidcc-basic-certification-test-plan) that do not need the browser of the plan, with
 * the names of the plan. The results are in docs/openid.md. `CLOCH_UPDATE=1` writes this page.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'

import { memoryClient } from '../support/memory_client.mjs'
import { startProject } from '../support/program.mjs'

const document = join(import.meta.dirname, '../../docs/openid.md')
const redirect = 'http://127.0.0.1:9/callback'
let cloch
let issuer
let metadata
let keys
let user
let admin
const account = { email: 'ann@club.example', password: 'a lighthouse on the Clyde' }

before(async () => {
  const change = (config) => `${config}\n[auth]\nsite_url = "https://club.example"\n[auth.oauth_server]\nenabled = true\nallow_dynamic_registration = true\n`
  cloch = await startProject({ from: null, change, files: { 'cloch.toml': '[auth]\noauth_prompt_none = true\n' } })
  issuer = `${cloch.url}/auth/v1`
  metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()
  keys = createRemoteJWKSet(new URL(metadata.jwks_uri))
  admin = memoryClient(cloch.url, cloch.serviceKey)
  const made = await admin.auth.admin.createUser({ ...account, email_confirm: true, phone: '441475000000', phone_confirm: true, user_metadata: { name: 'Ann' } })
  assert.ifError(made.error)
  user = memoryClient(cloch.url, cloch.anonKey)
  assert.ifError((await user.auth.signInWithPassword(account)).error)
})
after(() => cloch?.remove())

async function application(more = {}) {
  const { data, error } = await admin.auth.admin.oauth.createClient({ client_name: 'App', redirect_uris: [redirect], ...more })
  assert.ifError(error)
  return data
}

/**
 * Sends an authorization request. Parameters that are undefined are left out. Returns the parameters of the final redirect, or the status. If
 * required, the app's page signs the user in again. With `nobody`, no user is signed in, and the page reports this as an error.
 */
async function authorize(app, more = {}, { method = 'GET', nobody = false } = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const all = { client_id: app.client_id, redirect_uri: redirect, response_type: 'code', scope: 'openid', state: 's', nonce: 'n', code_challenge: challenge, code_challenge_method: 'S256', ...more }
  const query = new URLSearchParams(Object.entries(all).filter(([, value]) => value !== undefined))
  const sent = method === 'GET' ? await fetch(`${metadata.authorization_endpoint}?${query}`, { redirect: 'manual' }) : await fetch(metadata.authorization_endpoint, { method, body: query, redirect: 'manual' })
  if (sent.status !== 302) return { status: sent.status }
  const next = new URL(sent.headers.get('location'))
  const id = next.searchParams.get('authorization_id')
  if (!id) return { ...Object.fromEntries(next.searchParams), at: next.origin + next.pathname }
  if (nobody) {
    const left = await fetch(`${issuer}/oauth/authorizations/${id}/login_required`, { redirect: 'manual' })
    return Object.fromEntries(new URL(left.headers.get('location')).searchParams)
  }
  let { data } = await user.auth.oauth.getAuthorizationDetails(id)
  const anew = data.sign_in_required === true
  if (anew) {
    assert.ifError((await user.auth.signInWithPassword(account)).error)
    ;({ data } = await user.auth.oauth.getAuthorizationDetails(id))
  }
  const back = data.redirect_url ?? (await user.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).data.redirect_url
  return { ...Object.fromEntries(new URL(back).searchParams), verifier, asked: !data.redirect_url, anew, prompt: next.searchParams.get('prompt') }
}

async function exchange(app, { code, verifier }, { method = 'basic', more = {} } = {}) {
  const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier, ...more })
  const headers = {}
  if (method === 'basic') headers.authorization = `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}`
  else for (const name of ['client_id', 'client_secret']) body.set(name, app[name])
  const answer = await fetch(metadata.token_endpoint, { method: 'POST', body, headers })
  return { status: answer.status, ...(await answer.json()) }
}

/** Signs in completely. Returns the tokens, and the verified claims of the ID token. */
async function signIn(app, more = {}) {
  const tokens = await exchange(app, await authorize(app, more))
  const { payload } = await jwtVerify(tokens.id_token, keys, { issuer: metadata.issuer, audience: app.client_id })
  return { ...tokens, claims: payload }
}

const userinfo = (init) => fetch(metadata.userinfo_endpoint, init)
const bearer = (token) => ({ authorization: `Bearer ${token}` })

/** Returns the claims that the userinfo endpoint returns for a scope. */
async function opened(scope) {
  const { access_token: token } = await signIn(await application(), { scope: `openid ${scope}` })
  return (await userinfo({ headers: bearer(token) })).json()
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))

const isAccepted = async (more) => Boolean((await signIn(await application(), more)).claims.sub)

/** The name, the description and the function of each check, and the reason if Cloch differs from the plan. */
const checks = [
  ['oidcc-server', 'code flow; ID token with iss, aud, exp, iat, sub, nonce and a signature by a published key', async () => {
    const { claims, id_token: token } = await signIn(await application())
    return claims.nonce === 'n' && claims.exp > claims.iat && decodeProtectedHeader(token).alg === metadata.id_token_signing_alg_values_supported[0]
  }],
  ['oidcc-response-type-missing', 'a request without response_type is refused', async () => (await authorize(await application(), { response_type: undefined })).error !== undefined, 'it is interpreted as `code`, the only supported type, as in GoTrue'],
  ['oidcc-userinfo-get', 'userinfo by GET', async () => {
    const { access_token: token, claims } = await signIn(await application())
    return (await (await userinfo({ headers: bearer(token) })).json()).sub === claims.sub
  }],
  ['oidcc-userinfo-post-header', 'userinfo by POST with the header', async () => {
    const { access_token: token, claims } = await signIn(await application())
    return (await (await userinfo({ method: 'POST', headers: bearer(token) })).json()).sub === claims.sub
  }],
  ['oidcc-userinfo-post-body', 'userinfo by POST with the token in the body (optional in RFC 6750)', async () => {
    const { access_token: token } = await signIn(await application())
    return (await userinfo({ method: 'POST', body: new URLSearchParams({ access_token: token }) })).status === 200
  }, 'tokens are only read from the header'],
  ['oidcc-ensure-request-without-nonce-succeeds-for-code-flow', 'a request without nonce returns an ID token without nonce', async () => (await signIn(await application(), { nonce: undefined })).claims.nonce === undefined],
  ['oidcc-scope-profile', 'scope profile returns the name', async () => (await opened('profile')).name === 'Ann'],
  ['oidcc-scope-email', 'scope email returns address and email_verified', async () => {
    const { email, email_verified: verified } = await opened('email')
    return email === 'ann@club.example' && verified === true
  }],
  ['oidcc-scope-address', 'scope address is accepted (optional)', async () => !(await authorize(await application(), { scope: 'openid address' })).error, 'postal addresses are not stored; `scopes_supported` does not contain address'],
  ['oidcc-scope-phone', 'scope phone returns the number', async () => (await opened('phone')).phone_number === '441475000000'],
  ['oidcc-scope-all', 'all scopes at once are accepted', async () => !(await authorize(await application(), { scope: 'openid profile email phone address' })).error, 'postal addresses are not stored; all scopes in `scopes_supported` are accepted at once'],
  ['oidcc-ensure-other-scope-order-succeeds', 'the order of scopes does not matter', () => isAccepted({ scope: 'email openid' })],
  ['oidcc-display-page', 'display=page is accepted', () => isAccepted({ display: 'page' })],
  ['oidcc-display-popup', 'display=popup is accepted', () => isAccepted({ display: 'popup' })],
  ['oidcc-prompt-login', 'prompt=login requires a new sign-in, with a later auth_time', async () => {
    const app = await application()
    const first = await signIn(app)
    await sleep(1100)
    const back = await authorize(app, { prompt: 'login' })
    const { payload } = await jwtVerify((await exchange(app, back)).id_token, keys)
    return back.prompt === 'login' && back.anew && payload.auth_time > first.claims.auth_time
  }],
  ['oidcc-prompt-none-not-logged-in', 'prompt=none without a session: login_required', async () => (await authorize(await application(), { prompt: 'none' }, { nobody: true })).error === 'login_required'],
  ['oidcc-prompt-none-logged-in', 'prompt=none with a session and a consent succeeds', async () => {
    const app = await application()
    await signIn(app)
    const back = await authorize(app, { prompt: 'none' })
    return back.code !== undefined && !back.asked
  }],
  ['(prompt=none, consent)', 'prompt=none without a consent: consent_required', async () => (await authorize(await application(), { prompt: 'none' })).error === 'consent_required'],
  ['(prompt=consent)', 'prompt=consent asks for consent again', async () => {
    const app = await application()
    await signIn(app)
    return (await authorize(app, { prompt: 'consent' })).asked && !(await authorize(app)).asked
  }],
  ['oidcc-id-token-hint', 'prompt=none with the id_token_hint of an earlier sign-in succeeds', async () => {
    const app = await application()
    const { id_token: hint, claims } = await signIn(app)
    return (await signIn(app, { prompt: 'none', id_token_hint: hint })).claims.sub === claims.sub
  }],
  ['oidcc-max-age-1', 'max_age requires a new sign-in, and auth_time is returned', async () => {
    const app = await application()
    const { claims } = await signIn(app)
    await sleep(2500)
    const back = await authorize(app, { max_age: '1' })
    const { payload } = await jwtVerify((await exchange(app, back)).id_token, keys)
    return back.anew && payload.auth_time > claims.auth_time && Date.now() / 1000 - payload.auth_time < 2.5
  }],
  ['oidcc-max-age-10000', 'auth_time is returned and does not change', async () => {
    const app = await application()
    const [first, second] = [await signIn(app, { max_age: '10000' }), await signIn(app, { max_age: '10000' })]
    return Number.isInteger(first.claims.auth_time) && first.claims.auth_time === second.claims.auth_time
  }],
  ['oidcc-ensure-request-with-unknown-parameter-succeeds', 'an unknown parameter is ignored', () => isAccepted({ extra: 'foobar' })],
  ['oidcc-login-hint', 'login_hint is accepted', () => isAccepted({ login_hint: 'ann@club.example' })],
  ['oidcc-ui-locales', 'ui_locales is accepted', () => isAccepted({ ui_locales: 'se' })],
  ['oidcc-claims-locales', 'claims_locales is accepted', () => isAccepted({ claims_locales: 'se' })],
  ['oidcc-ensure-request-with-acr-values-succeeds', 'acr_values is accepted', () => isAccepted({ acr_values: '1 2' })],
  ['oidcc-ensure-post-request-succeeds', 'the authorization request by POST', async () => (await authorize(await application(), {}, { method: 'POST' })).code !== undefined],
  ['oidcc-codereuse', 'a code that is used twice is refused, and its tokens are revoked', async () => {
    const app = await application()
    const back = await authorize(app)
    const { access_token: token } = await exchange(app, back)
    const again = await exchange(app, back)
    return again.status === 400 && again.error === 'invalid_grant' && (await userinfo({ headers: bearer(token) })).status >= 401
  }],
  ['oidcc-codereuse-30seconds', 'a code that is used again after 30 seconds is refused', async () => {
    const app = await application()
    const back = await authorize(app)
    await exchange(app, back)
    await sleep(30_000)
    return (await exchange(app, back)).error === 'invalid_grant'
  }],
  ['oidcc-ensure-registered-redirect-uri', 'another redirect URI is refused without a redirect', async () => {
    const answers = ['http://127.0.0.1:9/callback/', 'http://127.0.0.1:9/callback?a=b', 'https://evil.example/'].map(async (uri) => authorize(await application(), { redirect_uri: uri }))
    return (await Promise.all(answers)).every(({ status }) => status === 400)
  }],
  ['oidcc-server-client-secret-post', 'the client secret in the body', async () => {
    const app = await application({ token_endpoint_auth_method: 'client_secret_post' })
    return (await exchange(app, await authorize(app), { method: 'post' })).status === 200
  }],
  ['oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', 'the parameter request is refused as unsupported', async () => (await authorize(await application(), { request: 'e30.e30.' })).error === 'request_not_supported'],
  ['oidcc-claims-essential', 'the parameter claims is accepted (optional)', () => isAccepted({ claims: JSON.stringify({ userinfo: { name: { essential: true } } }) })],
  ['oidcc-ensure-request-object-with-redirect-uri', 'the parameter request_uri is refused as unsupported', async () => (await authorize(await application(), { request_uri: 'https://evil.example/r' })).error === 'request_uri_not_supported'],
  ['oidcc-refresh-token', 'a refresh token returns new tokens', async () => {
    const app = await application()
    const { refresh_token: token } = await signIn(app)
    const next = await exchange(app, { code: '', verifier: '' }, { more: { grant_type: 'refresh_token', refresh_token: token } })
    return next.status === 200 && next.access_token !== undefined
  }],
  ['oidcc-ensure-request-with-valid-pkce-succeeds', 'a request with PKCE', () => isAccepted({})],
  ['oidcc-discovery-endpoint-verification', 'the discovery document has the right issuer, and its required URLs use https or are on this machine', async () => {
    const needed = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']
    const lists = ['response_types_supported', 'subject_types_supported', 'id_token_signing_alg_values_supported', 'scopes_supported', 'claims_supported']
    const isAddress = (name) => /^(https:|http:\/\/127\.0\.0\.1:)/.test(metadata[name])
    return metadata.issuer === issuer && needed.every(isAddress) && lists.every((name) => metadata[name].length > 0) && metadata.prompt_values_supported.includes('none')
  }],
  ['(PKCE)', 'a request without code_challenge succeeds, as the plan sends it', async () => !(await authorize(await application(), { code_challenge: undefined, code_challenge_method: undefined })).error, 'PKCE with S256 is mandatory (OAuth 2.1), so the plan itself cannot run unchanged'],
]

test('the metadata is at every URL at which clients look for it', async () => {
  for (const path of ['/auth/v1/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/auth/v1', '/.well-known/oauth-authorization-server']) {
    const answer = await fetch(cloch.url + path)
    assert.deepEqual([path, answer.status, (await answer.json()).issuer], [path, 200, issuer])
  }
})

test('docs/openid.md shows the results of the checks', async () => {
  const rows = []
  for (const [name, what, check, reason] of checks) {
    const passes = await check()
    assert.equal(passes, reason === undefined, `${name}: ${passes ? 'passes' : 'differs'}`)
    rows.push(`| ${name.startsWith('(') ? name : `\`${name}\``} | ${what} | ${passes ? 'passes' : 'differs'} | ${reason ?? ''} |`)
  }
  const passing = checks.filter(([, , , reason]) => reason === undefined).length
  const text = `# OpenID conformance

This page shows which checks of OpenID's conformance plan for basic providers (\`oidcc-basic-certification-test-plan\`) Cloch passes. \`tests/client/openid_conformance.test.mjs\` implements the
checks, under the plan's names, and writes this table. This is not a certification: the plan's own program was not run. Checks in brackets are not part of the plan.

If a check needs a page of the provider, it uses the app's consent page. This page signs users in again for \`prompt=login\` and \`max_age\`, and handles \`prompt=none\`
(\`[auth] oauth_prompt_none\` of cloch.toml; docs/auth/differences.md describes it).

${passing} of ${checks.length} pass.

| check | what | result | why |
|---|---|---|---|
${rows.join('\n')}
`
  if (process.env.CLOCH_UPDATE) writeFileSync(document, text)
  assert.equal(readFileSync(document, 'utf8'), text)
})
