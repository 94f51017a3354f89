/** Passkeys in a real browser, with its virtual authenticator (CTAP2, resident keys). */
import { randomUUID } from 'node:crypto'
import type { CDPSession, Page } from '@playwright/test'
import { expect, open, test, type App } from '../support/app.ts'

const password = 'a lighthouse on the Clyde'

interface Authenticator {
  cdp: CDPSession
  id: string
}

/** The newest virtual authenticator of each page. */
const known = new WeakMap<Page, Authenticator>()

/** Returns the credentials in the page's virtual authenticator, with their keys. */
async function credentialsBeside(page: Page) {
  const authenticator = known.get(page)
  if (!authenticator) throw new Error('the page has no authenticator')
  const { credentials } = await authenticator.cdp.send('WebAuthn.getCredentials', { authenticatorId: authenticator.id })
  return credentials
}

/** Opens a page of the app with a virtual authenticator. */
async function withAuthenticator(page: Page, more: Record<string, unknown> = {}): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true, ...more }
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options } as never)
  const authenticator = { cdp, id: authenticatorId }
  known.set(page, authenticator)
  return authenticator
}

async function member(app: App) {
  const email = `${randomUUID()}@club.example`
  const { data, error } = await app.admin.createUser({ email, password, email_confirm: true })
  expect(error).toBeNull()
  return { email, id: data.user!.id }
}

const signIn = (page: Page, email: string) =>
  page.evaluate(async ([email, password]) => (await window.client.auth.signInWithPassword({ email, password })).error, [email, password] as const)

const register = (page: Page) =>
  page.evaluate(async () => {
    const { data, error } = await window.client.auth.registerPasskey()
    return error ? (error.code ?? error.name) : data!.friendly_name
  })

const signInWithPasskey = (page: Page) =>
  page.evaluate(async () => {
    const { data, error } = await window.client.auth.signInWithPasskey()
    return error ? (error.code ?? error.name) : data!.user!.email
  })

const signOut = (page: Page) => page.evaluate(() => window.client.auth.signOut())

test('a user signs in without a password', async ({ context, app }) => {
  const { email } = await member(app)
  const page = await open(context, app, 'implicit')
  await withAuthenticator(page)
  expect(await signIn(page, email)).toBeNull()
  expect(await register(page)).toBe('Passkey')
  await signOut(page)
  expect(await signInWithPasskey(page)).toBe(email)
  await expect(page.locator('#who')).toHaveText(email)
  const amr = await page.evaluate(async () => (await window.client.auth.getClaims()).data!.claims.amr as { method: string }[])
  expect(amr[0]!.method).toBe('passkey')
})

test('Chromium offers a passkey without an address only if the device can verify the user', async ({ context, app }) => {
  const { email } = await member(app)
  const page = await open(context, app, 'implicit')
  await withAuthenticator(page, { hasUserVerification: false, isUserVerified: false })
  await signIn(page, email)
  expect(await register(page)).toBe('Passkey')
  await signOut(page)
  expect(await signInWithPasskey(page)).not.toBe(email)
  await expect(page.locator('#who')).toHaveText('nobody')
})

test('a passkey is listed, renamed and deleted; a deleted passkey no longer signs in', async ({ context, app }) => {
  const { email, id } = await member(app)
  const page = await open(context, app, 'implicit')
  await withAuthenticator(page)
  await signIn(page, email)
  await register(page)
  // The authenticator already contains a passkey for this account.
  expect(await register(page)).not.toBe('Passkey')
  const passkey = await page.evaluate(async () => (await window.client.auth.passkey.list()).data![0]!)
  const renamed = await page.evaluate(async (passkeyId) => (await window.client.auth.passkey.update({ passkeyId, friendlyName: 'Laptop' })).data!.friendly_name, passkey.id)
  expect(renamed).toBe('Laptop')
  const { data: seen } = await app.admin.passkey.listPasskeys({ userId: id })
  expect(seen!.map((one) => one.friendly_name)).toEqual(['Laptop'])
  expect(await page.evaluate(async (passkeyId) => (await window.client.auth.passkey.delete({ passkeyId })).error, passkey.id)).toBeNull()
  await signOut(page)
  expect(await signInWithPasskey(page)).toBe('webauthn_verification_failed')
})

test('a passkey dialog that the user cancels changes nothing', async ({ context, app }) => {
  const { email } = await member(app)
  const page = await open(context, app, 'implicit')
  const { cdp, id } = await withAuthenticator(page)
  await signIn(page, email)
  // From here on, the authenticator fails to verify its user.
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false })
  await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: id, enabled: false })
  const broken = await page.evaluate(async () => {
    const aborting = new AbortController()
    setTimeout(() => aborting.abort(), 300)
    const { data } = await window.client.auth.passkey.startRegistration()
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(data!.options as PublicKeyCredentialCreationOptionsJSON)
    return navigator.credentials.create({ publicKey: options, signal: aborting.signal }).then(() => 'made', (error: Error) => error.name)
  })
  expect(broken).toBe('AbortError')
  expect(await page.evaluate(async () => (await window.client.auth.passkey.list()).data!.length)).toBe(0)
})

test('an assertion is accepted once, and only for its own challenge', async ({ context, app }) => {
  const { email } = await member(app)
  const page = await open(context, app, 'implicit')
  await withAuthenticator(page)
  await signIn(page, email)
  await register(page)
  await signOut(page)
  const codes = await page.evaluate(async () => {
    const start = async () => (await window.client.auth.passkey.startAuthentication()).data!
    const first = await start()
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(first.options as PublicKeyCredentialRequestOptionsJSON)
    const credential = ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON()
    const verify = async (challengeId: string) => {
      const { error } = await window.client.auth.passkey.verifyAuthentication({ challengeId, credential: credential as never })
      return error?.code ?? 'signed in'
    }
    const other = await start()
    return [await verify(other.challenge_id), await verify(first.challenge_id), await verify(first.challenge_id)]
  })
  expect(codes).toEqual(['webauthn_verification_failed', 'signed in', 'webauthn_challenge_not_found'])
})

test('a page of another origin cannot use a passkey', async ({ context, app }) => {
  const { email } = await member(app)
  const page = await open(context, app, 'implicit')
  await withAuthenticator(page)
  await signIn(page, email)
  await register(page)
  await signOut(page)
  const { data } = await page.evaluate(() => window.client.auth.passkey.startAuthentication())
  // A URL with the same host name but another port is the same relying party for the browser. The server refuses the other origin.
  const elsewhere = await context.newPage()
  const port = Number(new URL(app.url).port)
  await elsewhere.route('http://localhost:*/**', (route) => route.fulfill({ contentType: 'text/html', body: '<title>Evil</title>' }))
  await elsewhere.goto(`http://localhost:${port === 65_535 ? 65_534 : port + 1}/`)
  const { cdp, id } = await withAuthenticator(elsewhere)
  const credentials = await credentialsBeside(page)
  for (const credential of credentials) await cdp.send('WebAuthn.addCredential', { authenticatorId: id, credential } as never)
  const credential = await elsewhere.evaluate(async (options) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
    return ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON()
  }, data!.options)
  const error = await page.evaluate(
    async ([challengeId, credential]) => (await window.client.auth.passkey.verifyAuthentication({ challengeId, credential: credential as never })).error?.code,
    [data!.challenge_id, credential] as const,
  )
  expect(error).toBe('webauthn_verification_failed')
})

test('a cloned authenticator, whose counter decreases, is refused', async ({ context, app }) => {
  const { email } = await member(app)
  const page = await open(context, app, 'implicit')
  const authenticator = await withAuthenticator(page)
  await signIn(page, email)
  await register(page)
  await signOut(page)
  const credentials = await credentialsBeside(page)
  expect(await signInWithPasskey(page)).toBe(email)
  await signOut(page)
  // Replaces the credential by a clone: it has the same key, and the value that the counter had before the last sign-in.
  await authenticator.cdp.send('WebAuthn.removeCredential', { authenticatorId: authenticator.id, credentialId: credentials[0]!.credentialId })
  await authenticator.cdp.send('WebAuthn.addCredential', { authenticatorId: authenticator.id, credential: credentials[0] } as never)
  expect(await signInWithPasskey(page)).toBe('webauthn_verification_failed')
})

test('the eleventh passkey is refused', async ({ context, app }) => {
  const { email } = await member(app)
  const page = await open(context, app, 'implicit')
  await signIn(page, email)
  for (let made = 0; made < 10; made += 1) {
    const { cdp, id } = await withAuthenticator(page)
    expect(await register(page)).toBe('Passkey')
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: id })
  }
  await withAuthenticator(page)
  expect(await register(page)).toBe('too_many_passkeys')
})
