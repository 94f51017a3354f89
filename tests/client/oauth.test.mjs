/** Users sign in through a real OpenID provider (the npm package oidc-provider) with the unmodified client. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'
import Provider from 'oidc-provider'

import { memoryClient } from '../support/memory_client.mjs'
import { freePort, startProject } from '../support/program.mjs'

let cloch
let issuer
let server
before(async () => {
  const port = await freePort()
  issuer = `http://127.0.0.1:${port}`
  cloch = await startProject({
    from: null,
    change: (config) => `${config}
[auth]
site_url = "https://club.example"
enable_manual_linking = true
[auth.email]
enable_confirmations = true
[auth.external.club]
enabled = true
client_id = "cloch"
secret = "a-secret-of-the-provider"
url = "${issuer}"
`,
  })
  const provider = new Provider(issuer, {
    clients: [{
      client_id: 'cloch',
      client_secret: 'a-secret-of-the-provider',
      redirect_uris: [`${cloch.url}/auth/v1/callback`],
    }],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@club.example`, email_verified: !id.startsWith('unproved'), name: id }),
    }),
  })
  server = provider.listen(port, '127.0.0.1')
})
after(async () => {
  server?.close()
  await cloch?.remove()
})

const client = (flowType) => memoryClient(cloch.url, cloch.anonKey, flowType)

/** Requests the provider's pages as a browser does, and signs in as `person`. Returns the final URL. */
async function browse(address, person) {
  const jar = new Map()
  let url = address
  for (let step = 0; step < 20; step += 1) {
    if (!url.startsWith(issuer) && !url.startsWith(cloch.url)) return new URL(url)
    const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }
    let answer = await fetch(url, { redirect: 'manual', headers })
    keep(jar, answer)
    if (answer.status === 200) {
      const page = await answer.text()
      const action = /action="([^"]+)"/.exec(page)[1]
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)[1]
      answer = await fetch(action, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ prompt, login: person, password: 'any' }),
      })
      keep(jar, answer)
    }
    assert.ok([302, 303].includes(answer.status), `${answer.status} at ${url}`)
    url = new URL(answer.headers.get('location'), url).href
  }
  throw new Error('the way does not end')
}

function keep(jar, answer) {
  for (const cookie of answer.headers.getSetCookie()) {
    const [pair] = cookie.split(';')
    const at = pair.indexOf('=')
    jar.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

test('the implicit flow returns a session', async () => {
  const own = client('implicit')
  const { data } = await own.auth.signInWithOAuth({ provider: 'club', options: { skipBrowserRedirect: true } })
  const end = await browse(data.url, 'ann')
  const { access_token, refresh_token, provider_token } = Object.fromEntries(new URLSearchParams(end.hash.slice(1)))
  assert.ok(provider_token)
  const session = await own.auth.setSession({ access_token, refresh_token })
  assert.equal(session.error, null)
  assert.equal(session.data.user.email, 'ann@club.example')
  assert.equal(session.data.user.app_metadata.provider, 'club')
})

test('with PKCE the code is useless to others', async () => {
  const own = client('pkce')
  const { data } = await own.auth.signInWithOAuth({ provider: 'club', options: { skipBrowserRedirect: true } })
  const end = await browse(data.url, 'bob')
  const code = end.searchParams.get('code')
  const body = JSON.stringify({ auth_code: code, code_verifier: 'a'.repeat(43) })
  const headers = { apikey: cloch.anonKey, 'content-type': 'application/json' }
  const stolen = await fetch(`${cloch.url}/auth/v1/token?grant_type=pkce`, { method: 'POST', headers, body })
  assert.equal(stolen.status, 400)
  const session = await own.auth.exchangeCodeForSession(code)
  assert.equal(session.error, null)
  assert.equal(session.data.user.email, 'bob@club.example')
})

test('an unverified address opens no account', async () => {
  const { data } = await client('implicit').auth.signInWithOAuth({ provider: 'club', options: { skipBrowserRedirect: true } })
  const end = await browse(data.url, 'unproved-cid')
  assert.equal(end.searchParams.get('error_code'), 'provider_email_needs_verification')
})

test('an identity is added to a signed-in user, and removed', async () => {
  const admin = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } }).auth.admin
  const email = 'dee@elsewhere.example'
  await admin.createUser({ email, password: 'a lighthouse', email_confirm: true })
  const own = client('implicit')
  await own.auth.signInWithPassword({ email, password: 'a lighthouse' })
  const { data, error } = await own.auth.linkIdentity({ provider: 'club', options: { skipBrowserRedirect: true } })
  assert.equal(error, null)
  assert.match((await browse(data.url, 'dee')).hash, /access_token=/)
  const { identities } = (await own.auth.getUserIdentities()).data
  assert.deepEqual(identities.map((identity) => identity.provider), ['email', 'club'])
  assert.equal((await own.auth.unlinkIdentity(identities[1])).error, null)
})
