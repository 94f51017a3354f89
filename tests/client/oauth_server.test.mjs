/**
 * Cloch as an OAuth and OpenID server. Unmodified clients (openid-client, the MCP SDK) sign users in. The user approves or denies the request with
 * supabase-js.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'

import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import * as oidc from 'openid-client'

import { memoryClient } from '../support/memory_client.mjs'
import { startProject } from '../support/program.mjs'

const password = 'a lighthouse on the Clyde'
const redirect = 'http://127.0.0.1:9/callback'
const insecure = { execute: [oidc.allowInsecureRequests] }
let cloch
let issuer
let admin
before(async () => {
  cloch = await startProject({
    from: null,
    change: (config) => `${config}
[auth]
site_url = "https://club.example"
[auth.oauth_server]
enabled = true
authorization_url_path = "/oauth/consent"
allow_dynamic_registration = true
`,
    files: {
      'migrations/20260101000000_whoami.sql': "create function public.whoami() returns jsonb language sql stable as $$ select auth.jwt() $$;",
    },
  })
  issuer = new URL(`${cloch.url}/auth/v1`)
  admin = memoryClient(cloch.url, cloch.serviceKey)
})
after(() => cloch?.remove())

/** Creates a user who is signed in. Returns the user's client. */
async function member(email) {
  assert.ifError((await admin.auth.admin.createUser({ email, password, email_confirm: true, user_metadata: { name: 'Ann' } })).error)
  const client = memoryClient(cloch.url, cloch.anonKey)
  assert.ifError((await client.auth.signInWithPassword({ email, password })).error)
  return client
}

/** Follows an application's link to the page on which the user decides. Returns the URL to which the server then redirects the browser. */
async function decide(user, address, decision = 'approveAuthorization') {
  const sent = await fetch(address, { redirect: 'manual' })
  assert.equal(sent.status, 302, await sent.text())
  const page = new URL(sent.headers.get('location'))
  assert.equal(page.origin + page.pathname, 'https://club.example/oauth/consent')
  const id = page.searchParams.get('authorization_id')
  const { data, error } = await user.auth.oauth.getAuthorizationDetails(id)
  assert.ifError(error)
  if (data.redirect_url) return data.redirect_url
  const decided = await user.auth.oauth[decision](id, { skipBrowserRedirect: true })
  assert.ifError(decided.error)
  return decided.data.redirect_url
}

async function application(metadata = {}) {
  const { data, error } = await admin.auth.admin.oauth.createClient({ client_name: 'App', redirect_uris: [redirect], ...metadata })
  assert.ifError(error)
  return data
}

/** Creates an authorization request with openid-client, and a function that completes the request. */
async function begin(config, more = {}) {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const checks = { pkceCodeVerifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() }
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirect,
    scope: 'openid email profile',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    ...more,
  })
  return { address, finish: (back) => oidc.authorizationCodeGrant(config, new URL(back), checks) }
}

for (const algorithm of ['oidc', 'oauth2']) {
  test(`openid-client signs in (${algorithm} discovery)`, async () => {
    const user = await member(`${algorithm}@club.example`)
    const { client_id: id, client_secret: secret } = await application()
    const config = await oidc.discovery(issuer, id, {}, oidc.ClientSecretBasic(secret), { ...insecure, algorithm })
    const { address, finish } = await begin(config)
    const tokens = await finish(await decide(user, address))
    const claims = tokens.claims()
    assert.equal(claims.aud[0], id)
    assert.deepEqual([claims.email, claims.email_verified, claims.name], [`${algorithm}@club.example`, true, 'Ann'])
    const info = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
    assert.deepEqual([info.sub, info.email], [claims.sub, `${algorithm}@club.example`])

    // With this token, the table REST uses the privileges of the user, and policies can read the application's id from the token.
    const call = (token) =>
      fetch(`${cloch.url}/rest/v1/rpc/whoami`, { headers: { apikey: cloch.anonKey, authorization: `Bearer ${token}` } })
    const jwt = await (await call(tokens.access_token)).json()
    assert.deepEqual([jwt.role, jwt.sub, jwt.client_id, jwt.scope], ['authenticated', claims.sub, id, 'openid email profile'])
    assert.equal((await call(tokens.id_token)).status, 401)

    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token)
    assert.notEqual(next.refresh_token, tokens.refresh_token)
    await oidc.tokenRevocation(config, next.refresh_token)
    await assert.rejects(oidc.refreshTokenGrant(config, next.refresh_token), { error: 'invalid_grant' })
    await assert.rejects(oidc.fetchUserInfo(config, next.access_token, claims.sub))
  })
}

test('openid-client registers itself as a public client, and a user refuses consent', async () => {
  const user = await member('deny@club.example')
  const config = await oidc.dynamicClientRegistration(
    issuer,
    { client_name: 'Agent', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    oidc.None(),
    insecure,
  )
  const { address, finish } = await begin(config)
  await assert.rejects(finish(await decide(user, address, 'denyAuthorization')), { error: 'access_denied' })
  const again = await begin(config)
  assert.ok((await again.finish(await decide(user, again.address))).access_token)
  const { data: grants } = await user.auth.oauth.listGrants()
  assert.deepEqual(grants.map((grant) => [grant.client.name, grant.scopes]), [['Agent', ['openid', 'email', 'profile']]])
  assert.ifError((await user.auth.oauth.revokeGrant({ clientId: grants[0].client.id })).error)
  assert.deepEqual((await user.auth.oauth.listGrants()).data, [])
})

test('the client refuses a response of another issuer (mix-up)', async () => {
  const user = await member('mixup@club.example')
  const { client_id: id, client_secret: secret } = await application()
  const config = await oidc.discovery(issuer, id, {}, oidc.ClientSecretBasic(secret), insecure)
  const { address, finish } = await begin(config)
  const back = new URL(await decide(user, address))
  assert.equal(back.searchParams.get('iss'), issuer.href)
  back.searchParams.set('iss', 'https://evil.example')
  await assert.rejects(finish(back))
})

test('neither the consent page nor the page before it can be framed', async () => {
  const { client_id: id, client_secret: secret } = await application()
  const config = await oidc.discovery(issuer, id, {}, oidc.ClientSecretBasic(secret), insecure)
  const sent = await fetch((await begin(config)).address, { redirect: 'manual' })
  assert.match(sent.headers.get('content-security-policy'), /frame-ancestors 'none'/)
  const page = await fetch(`${cloch.url}/oauth/consent`)
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
})

test('a client of the MCP SDK finds the server, registers and signs in', async () => {
  const user = await member('agent@club.example')
  // An MCP server on another host. Its metadata names Cloch as the authorization server.
  const server = createServer((asked, reply) => {
    const isMetadata = asked.url.startsWith('/.well-known/oauth-protected-resource')
    reply.writeHead(isMetadata ? 200 : 404, { 'content-type': 'application/json' })
    reply.end(isMetadata ? JSON.stringify({ resource: `${address}/mcp`, authorization_servers: [issuer.href] }) : '{}')
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const address = `http://127.0.0.1:${server.address().port}`
  const kept = {}
  const provider = {
    redirectUrl: redirect,
    clientMetadata: { client_name: 'MCP', redirect_uris: [redirect], token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (to) => void (kept.to = to),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
  }
  try {
    assert.equal(await auth(provider, { serverUrl: `${address}/mcp` }), 'REDIRECT')
    const back = new URL(await decide(user, kept.to))
    const authorizationCode = back.searchParams.get('code')
    assert.equal(await auth(provider, { serverUrl: `${address}/mcp`, authorizationCode }), 'AUTHORIZED')
    const first = kept.tokens
    assert.equal(await auth(provider, { serverUrl: `${address}/mcp` }), 'AUTHORIZED')
    assert.notEqual(kept.tokens.refresh_token, first.refresh_token)
  } finally {
    server.close()
  }
})
