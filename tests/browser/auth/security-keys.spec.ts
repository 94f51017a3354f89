/** Security keys as second factors in a real browser, with its virtual authenticator. */
import { randomUUID } from 'node:crypto'
import type { BrowserContext, CDPSession, Page } from '@playwright/test'
import { expect, open, test, type App } from '../support/app.ts'

const password = 'a lighthouse on the Clyde'

interface Key {
  cdp: CDPSession
  id: string
}

/** Adds a virtual security key to the page. The key confirms the user's presence by itself. */
async function plugIn(page: Page, more: Record<string, unknown> = {}): Promise<Key> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'usb', hasResidentKey: false, hasUserVerification: false, isUserVerified: false, automaticPresenceSimulation: true, ...more }
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options } as never)
  return { cdp, id: authenticatorId }
}

const signIn = (page: Page, email: string) =>
  page.evaluate(async ([email, password]) => (await window.client.auth.signInWithPassword({ email, password })).error, [email, password] as const)

const signOut = (page: Page) => page.evaluate(() => window.client.auth.signOut({ scope: 'local' }))

/** Registers a security key. Returns `registered`, or the code of the error. */
const register = (page: Page, friendlyName: string) =>
  page.evaluate(async (friendlyName) => {
    const { data, error } = await window.client.auth.mfa.webauthn.register({ friendlyName })
    return data ? 'registered' : ((error as { code?: string }).code ?? error!.name)
  }, friendlyName)

const authenticate = (page: Page, factorId: string) =>
  page.evaluate(async (factorId) => {
    const { data, error } = await window.client.auth.mfa.webauthn.authenticate({ factorId })
    return data ? 'authenticated' : ((error as { code?: string }).code ?? error!.name)
  }, factorId)

const factors = (page: Page) => page.evaluate(async () => (await window.client.auth.mfa.listFactors()).data!.webauthn.map((factor) => factor.id))

/** Returns the assurance level of the session, and the methods with which the user has reached this level. */
const level = (page: Page) =>
  page.evaluate(async () => {
    const { claims } = (await window.client.auth.getClaims()).data!
    return [claims.aal, ...(claims.amr as { method: string }[]).map((entry) => entry.method).sort()]
  })

async function signedIn(context: BrowserContext, app: App) {
  const email = `${randomUUID()}@club.example`
  const { error } = await app.admin.createUser({ email, password, email_confirm: true })
  expect(error).toBeNull()
  const page = await open(context, app, 'implicit')
  expect(await signIn(page, email)).toBeNull()
  return { email, page }
}

for (const [name, options] of [
  ['a key without user verification', {}],
  ['a key that verifies its user', { hasUserVerification: true, isUserVerified: true }],
  ['a key of the U2F protocol', { protocol: 'u2f' }],
] as const) {
  test(`${name} raises the session`, async ({ context, app }) => {
    const { email, page } = await signedIn(context, app)
    await plugIn(page, options)
    expect(await level(page)).toEqual(['aal1', 'password'])
    expect(await register(page, 'key')).toBe('registered')
    expect(await level(page)).toEqual(['aal2', 'mfa/webauthn', 'password'])
    await signOut(page)
    await signIn(page, email)
    expect(await level(page)).toEqual(['aal1', 'password'])
    const [factor] = await factors(page)
    expect(await authenticate(page, factor!)).toBe('authenticated')
    expect(await level(page)).toEqual(['aal2', 'mfa/webauthn', 'password'])
  })
}

test('a removed key is no longer a factor', async ({ context, app }) => {
  const { page } = await signedIn(context, app)
  await plugIn(page)
  await register(page, 'key')
  const [factor] = await factors(page)
  const unenrolled = await page.evaluate(async (factorId) => (await window.client.auth.mfa.unenroll({ factorId })).error, factor!)
  expect(unenrolled).toBeNull()
  expect(await factors(page)).toEqual([])
  await page.evaluate(() => window.client.auth.refreshSession())
  expect(await level(page)).toEqual(['aal1', 'password'])
})

test('neither another key nor a cancelled dialog raises the session', async ({ context, app }) => {
  const { email, page } = await signedIn(context, app)
  const first = await plugIn(page)
  await register(page, 'key')
  await signOut(page)
  await signIn(page, email)
  const [factor] = await factors(page)
  await first.cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: first.id })
  await plugIn(page)
  const other = await page.evaluate(async (factorId) => {
    const signal = AbortSignal.timeout(1000)
    const { data } = await window.client.auth.mfa.webauthn.authenticate({ factorId, webauthn: { signal } })
    return data === null
  }, factor!)
  expect(other).toBe(true)
  expect(await level(page)).toEqual(['aal1', 'password'])
})

test('an assertion is accepted once', async ({ context, app }) => {
  const { email, page } = await signedIn(context, app)
  await plugIn(page)
  await register(page, 'key')
  await signOut(page)
  await signIn(page, email)
  const [factor] = await factors(page)
  const codes = await page.evaluate(async (factorId) => {
    const { data } = await window.client.auth.mfa.webauthn.challenge({ factorId, webauthn: { rpId: location.hostname } })
    const verify = async () => (await window.client.auth.mfa.webauthn.verify({ ...data!, webauthn: { ...data!.webauthn, rpId: location.hostname } } as never)).error?.code ?? 'verified'
    return [await verify(), await verify()]
  }, factor!)
  expect(codes).toEqual(['verified', 'mfa_factor_not_found'])
})
