/** The browser clicks each kind of link that auth mails in the inbox. The app that the link opens must sign the user in. */
import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { clickLink, expect, open, test, type App, type Flow } from '../support/app.ts'

const password = 'a lighthouse on the Clyde'
const another = 'a harbour at Gourock'
const newAddress = () => `${randomUUID()}@club.example`

/** Creates a confirmed account. */
async function member(app: App) {
  const email = newAddress()
  const { error } = await app.admin.createUser({ email, password, email_confirm: true })
  expect(error).toBeNull()
  return email
}

const signIn = (page: Page, email: string, password: string) =>
  page.evaluate(async ([email, password]) => {
    const { error } = await window.client.auth.signInWithPassword({ email, password })
    return error?.code ?? 'signed in'
  }, [email, password] as const)

/** Checks that the server accepts the page's session, and that the address bar contains no token. */
async function signedInAs(page: Page, email: string) {
  await expect(page.locator('#who')).toHaveText(email)
  await expect(page.locator('#error')).toHaveText('none')
  await expect(page).not.toHaveURL(/access_token|refresh_token|code=/)
  const user = await page.evaluate(async () => (await window.client.auth.getUser()).data.user?.email)
  expect(user).toBe(email)
}

const events = (page: Page) => page.locator('#events li').allTextContents()

for (const flow of ['implicit', 'pkce'] satisfies Flow[]) {
  test.describe(flow, () => {
    test('confirmation', async ({ context, app }) => {
      const email = newAddress()
      const page = await open(context, app, flow)
      const started = await page.evaluate(async ([email, password]) => {
        const { data, error } = await window.client.auth.signUp({ email, password, options: { emailRedirectTo: `${location.href}welcome` } })
        return [error, data.session, data.user?.email]
      }, [email, password] as const)
      expect(started).toEqual([null, null, email])
      expect(await signIn(page, email, password)).toBe('email_not_confirmed')
      const arrived = await clickLink(context, app, email)
      expect(new URL(arrived.url()).pathname).toBe(`/${flow}/welcome`)
      await signedInAs(arrived, email)
      // A link is valid only once.
      const late = await clickLink(context, app, email)
      await expect(late.locator('#error')).toHaveText('otp_expired')
    })

    test('recovery', async ({ context, app }) => {
      const email = await member(app)
      const page = await open(context, app, flow)
      const error = await page.evaluate(async (email) => {
        return (await window.client.auth.resetPasswordForEmail(email, { redirectTo: `${location.href}password` })).error
      }, email)
      expect(error).toBeNull()
      const arrived = await clickLink(context, app, email)
      expect(new URL(arrived.url()).pathname).toBe(`/${flow}/password`)
      await signedInAs(arrived, email)
      await expect.poll(() => events(arrived)).toContain('PASSWORD_RECOVERY')
      const changed = await arrived.evaluate(async (password) => (await window.client.auth.updateUser({ password })).error, another)
      expect(changed).toBeNull()
      await arrived.evaluate(() => window.client.auth.signOut())
      expect(await signIn(page, email, password)).toBe('invalid_credentials')
      expect(await signIn(page, email, another)).toBe('signed in')
    })

    test('magic link', async ({ context, app }) => {
      const email = await member(app)
      const page = await open(context, app, flow)
      const error = await page.evaluate(async (email) => {
        const options = { shouldCreateUser: false, emailRedirectTo: `${location.href}in` }
        return (await window.client.auth.signInWithOtp({ email, options })).error
      }, email)
      expect(error).toBeNull()
      const arrived = await clickLink(context, app, email)
      expect(new URL(arrived.url()).pathname).toBe(`/${flow}/in`)
      await signedInAs(arrived, email)
      expect(await events(arrived)).not.toContain('PASSWORD_RECOVERY')
    })

    test('change of address, confirmed at the old and at the new one', async ({ context, app }) => {
      const email = await member(app)
      const next = newAddress()
      const page = await open(context, app, flow)
      expect(await signIn(page, email, password)).toBe('signed in')
      const changed = await page.evaluate(async (email) => {
        const { data, error } = await window.client.auth.updateUser({ email }, { emailRedirectTo: `${location.href}changed` })
        return [error, data.user?.email, data.user?.new_email]
      }, next)
      expect(changed).toEqual([null, email, next])
      const half = await clickLink(context, app, email)
      expect(half.url()).toMatch(/message=Confirmation\+link\+accepted/)
      await expect(half.locator('#who')).toHaveText(email)
      const whole = await clickLink(context, app, next)
      expect(new URL(whole.url()).pathname).toBe(`/${flow}/changed`)
      if (flow === 'implicit') await signedInAs(whole, next)
      // When the client stores a changed user, it deletes its code verifier. Therefore it cannot exchange the code of this link, and keeps its
      // session.
      else expect(await whole.evaluate(async () => (await window.client.auth.getUser()).data.user?.email)).toBe(next)
      await whole.evaluate(() => window.client.auth.signOut())
      expect(await signIn(page, email, password)).toBe('invalid_credentials')
      expect(await signIn(page, next, password)).toBe('signed in')
    })
  })
}

test('invitation: the invited person chooses a password', async ({ context, app }) => {
  const email = newAddress()
  const { error } = await app.admin.inviteUserByEmail(email, { redirectTo: `${app.url}/implicit/password`, data: { name: 'Ann' } })
  expect(error).toBeNull()
  const arrived = await clickLink(context, app, email)
  expect(new URL(arrived.url()).pathname).toBe('/implicit/password')
  await signedInAs(arrived, email)
  const changed = await arrived.evaluate(async (password) => {
    const { data, error } = await window.client.auth.updateUser({ password })
    return [error, data.user?.user_metadata.name]
  }, password)
  expect(changed).toEqual([null, 'Ann'])
  await arrived.evaluate(() => window.client.auth.signOut())
  expect(await signIn(arrived, email, password)).toBe('signed in')
})

test('PKCE: a link that is opened in another browser confirms the address, but signs nobody in', async ({ context, browser, app }) => {
  const email = newAddress()
  const page = await open(context, app, 'pkce')
  await page.evaluate(async ([email, password]) => {
    await window.client.auth.signUp({ email, password, options: { emailRedirectTo: location.href } })
  }, [email, password] as const)
  const elsewhere = await browser.newContext()
  const arrived = await clickLink(elsewhere, app, email)
  await expect(arrived.locator('#who')).toHaveText('nobody')
  const code = new URL(arrived.url()).searchParams.get('code') ?? ''
  expect(code).not.toBe('')
  const stolen = await arrived.evaluate(async (code) => (await window.client.auth.exchangeCodeForSession(code)).data.session, code)
  expect(stolen).toBeNull()
  await elsewhere.close()
  expect(await signIn(page, email, password)).toBe('signed in')
})

test('a link redirects only to the app’s own addresses', async ({ context, app }) => {
  const email = await member(app)
  const page = await open(context, app, 'implicit')
  const error = await page.evaluate(async (email) => {
    return (await window.client.auth.resetPasswordForEmail(email, { redirectTo: 'https://evil.example/take' })).error
  }, email)
  expect(error).toBeNull()
  const arrived = await clickLink(context, app, email)
  expect(new URL(arrived.url()).pathname).toBe('/')
  await signedInAs(arrived, email)
})
