/**
 * Users of an app sign in through another Cloch server, the school's. The page of the app and the page of the school use the unmodified client. Both
 * run in one browser; the test uses three origins.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test as base } from '@playwright/test'
import { createClient } from '@supabase/supabase-js'
import { makeCertificate } from '../../support/certificates.mjs'
import { freePort, makeProject, start } from '../../support/program.mjs'

const script = readFileSync(join(resolve(import.meta.dirname, '../../node_modules'), '@supabase/supabase-js/dist/umd/supabase.js'))
const account = { email: 'ann@school.example', password: 'a lighthouse on the Clyde' }

/** Page of the app. It has one button, and shows the e-mail address of the signed-in user. */
const appPage = `<h1>Club</h1><button>Sign in with the school</button><output></output><script>
  document.querySelector('button').onclick = () =>
    client.auth.signInWithOAuth({ provider: 'custom:school', options: { redirectTo: location.origin + '/' } })
  const problem = new URLSearchParams(location.search).get('error_description')
  if (problem) document.querySelector('output').textContent = problem
  client.auth.onAuthStateChange((event, session) => {
    if (session) document.querySelector('output').textContent = session.user.email + ' by ' + session.user.app_metadata.provider
  })</script>`

/** Page of the school. It signs its users in and asks for their consent. */
const consentPage = `<h1>School</h1><form><input name="email" aria-label="E-mail"><input name="password" type="password" aria-label="Password"><button>Sign in</button></form>
  <section hidden><p></p><button id="yes">Allow</button><button id="no">Refuse</button></section><script>
  const id = new URLSearchParams(location.search).get('authorization_id')
  async function ask() {
    const { data, error } = await client.auth.oauth.getAuthorizationDetails(id)
    if (error) return
    if (data.redirect_url) return location.assign(data.redirect_url)
    document.querySelector('form').hidden = true
    document.querySelector('section').hidden = false
    document.querySelector('p').textContent = data.client.name + ' wants: ' + data.scope
  }
  document.querySelector('form').onsubmit = async (event) => {
    event.preventDefault()
    const { error } = await client.auth.signInWithPassword(Object.fromEntries(new FormData(event.target)))
    if (!error) await ask()
  }
  document.querySelector('#yes').onclick = () => client.auth.oauth.approveAuthorization(id)
  document.querySelector('#no').onclick = () => client.auth.oauth.denyAuthorization(id)
  ask()</script>`

interface Pages {
  server: Server
  origin: string
  /** Sets the project to which the page connects. */
  connect: (cloch: { url: string; anonKey: string }, options?: object) => void
}

async function serve(page: string): Promise<Pages> {
  let client = ''
  const server = createServer((asked, reply) => {
    const isScript = asked.url === '/supabase.js'
    reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    reply.end(isScript ? script : `<!doctype html><html lang="en"><title>App</title><script src="/supabase.js"></script><script>${client}</script>${page}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const connect: Pages['connect'] = (cloch, options = {}) => {
    client = `window.client = supabase.createClient(${JSON.stringify(cloch.url)}, ${JSON.stringify(cloch.anonKey)}, ${JSON.stringify(options)})`
  }
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connect }
}

const test = base.extend<object, { app: string }>({
  app: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'cloch-authority-'))
      const { authority, certificate, key } = makeCertificate(folder)
      const [clubPages, schoolPages] = [await serve(appPage), await serve(consentPage)]
      const port = await freePort()
      const issuer = `https://localhost:${port}/auth/v1`
      const oauth = `[auth.oauth_server]\nenabled = true\nauthorization_url_path = "/consent"\n`
      const ofSchool = `\n[auth]\nsite_url = "${schoolPages.origin}"\nexternal_url = "${issuer}"\n${oauth}`
      const tls = `[server.tls]\nlisten = "127.0.0.1:${port}"\ncertificate = ${JSON.stringify(certificate)}\nkey = ${JSON.stringify(key)}\n`
      const school = await start(await makeProject({ from: null, change: (config) => config + ofSchool, files: { 'cloch.toml': tls } }))
      const ofClub = (config: string) => `${config}\n[auth]\nsite_url = "${clubPages.origin}"\n`
      const local = '[outbound]\nallowed_networks = ["127.0.0.0/8", "::1/128"]\n'
      const club = await start(await makeProject({ from: null, change: ofClub, files: { 'cloch.toml': local } }), { environment: { SSL_CERT_FILE: authority } })
      clubPages.connect(club, { auth: { flowType: 'pkce' } })
      schoolPages.connect({ url: `https://localhost:${port}`, anonKey: school.anonKey })
      const admin = (cloch: typeof club) => createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } }).auth.admin
      await admin(school).createUser({ ...account, email_confirm: true })
      const made = await admin(school).oauth.createClient({ client_name: 'The club', redirect_uris: [`${club.url}/auth/v1/callback`] })
      const { error } = await admin(club).customProviders.createProvider({
        provider_type: 'oidc', identifier: 'custom:school', name: 'School', client_id: made.data!.client_id, client_secret: made.data!.client_secret!,
        issuer, scopes: ['email', 'profile'],
      })
      expect(error).toBeNull()
      await use(`${clubPages.origin}/`)
      for (const { server } of [clubPages, schoolPages]) server.close()
      for (const cloch of [club, school]) await cloch.remove()
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
})
// The browser does not trust the certificate authority that issued the school's certificate.
test.use({ ignoreHTTPSErrors: true })

test('a user signs in with another Cloch: password there, consent, and return as its user', async ({ page, app }) => {
  await page.goto(app)
  await page.getByRole('button', { name: 'Sign in with the school' }).click()
  await page.getByLabel('E-mail').fill(account.email)
  await page.getByLabel('Password').fill(account.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.locator('p')).toHaveText(/^The club wants: .*openid/)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.locator('output')).toHaveText(`${account.email} by custom:school`)
  expect(page.url()).toBe(app)

  // The server does not ask for consent again if the user has consented once and is still signed in at the school.
  await page.evaluate(() => window.client.auth.signOut({ scope: 'local' }))
  await page.reload()
  await expect(page.locator('output')).toBeEmpty()
  await page.getByRole('button', { name: 'Sign in with the school' }).click()
  await expect(page.locator('output')).toHaveText(`${account.email} by custom:school`)
})

test('a user who refuses consent is signed in nowhere, and the app gets an error', async ({ page, app }) => {
  const second = { email: 'bob@school.example', password: account.password }
  await page.goto(app)
  await page.getByRole('button', { name: 'Sign in with the school' }).click()
  await expect(page.getByRole('heading', { name: 'School' })).toBeVisible()
  await page.evaluate((second) => window.client.auth.signUp(second), second)
  await page.reload()
  await page.getByRole('button', { name: 'Refuse' }).click()
  await expect(page.locator('output')).toHaveText(/denied|refused/i)
  expect(await page.evaluate(async () => (await window.client.auth.getSession()).data.session)).toBeNull()
})
