/** Administrators can sign in with passkeys, with codes of an authenticator app, and with printed recovery codes, in addition to the password. */
import type { Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startProject } from '../../support/program.mjs'
import { totp } from '../../support/totp.mjs'
import { addAuthenticator } from '../support/authenticator.ts'
import { screens, violations } from '../support/axe.ts'
import { clientOf, expect, must, test as base, toast } from '../support/club.ts'
import { print } from '../support/pdf.ts'
import { lane } from '../support/lane.ts'

interface Desk {
  /** URL with a host name. A passkey cannot belong to an IP address. */
  url: string
  /** Makes another administrator. */
  admin: (email: string) => Promise<{ id: string; email: string; password: string }>
}

const web = process.env.CLOCH_TEST_WEB

/** A club with the passkey settings for this machine. The club's config.toml contains these settings as comments. */
const test = base.extend<object, { desk: Desk }>({
  desk: [
    async ({}, use) => {
      const settings = readFileSync(join(resolve(import.meta.dirname, '../../..'), 'supabase-config/cloch.toml'), 'utf8')
      const server = await startProject({
        change: (config: string) => config.replace(/^# (\[auth\.webauthn\]|rp_id|rp_origins)/gm, '$1'),
        ...(web ? { files: { 'cloch.toml': settings.replace('app = "embedded"', `app = ${JSON.stringify(web)}`) } } : {}),
      })
      const database = clientOf(server.url, server.serviceKey)
      const password = 'a quiet harbour 27'
      const admin = async (email: string) => {
        const { data, error } = await database.auth.admin.createUser({ email, password, email_confirm: true })
        if (error) throw error
        await must(database.from('user_roles').insert({ user_id: data.user.id, role: 'admin' }).select())
        return { id: data.user.id, email, password }
      }
      await use({ url: server.url.replace('127.0.0.1', 'localhost'), admin })
      await server.remove()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ desk }, use) => use(desk.url),
})

async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.goto('/auth')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toHaveCount(0)
}

const openPeople = async (page: Page) => {
  await page.goto('/admin?tab=people')
  await expect(page.getByRole('heading', { name: 'Your passkeys' })).toBeVisible()
}

const logout = async (page: Page) => {
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible()
}

/** Waits for the next code of the app and returns it. The server accepts each code only once. */
async function nextCode(page: Page, secret: string, last: string): Promise<string> {
  while (totp(secret) === last) await page.waitForTimeout(500)
  return totp(secret)
}

test('an administrator adds a passkey, signs in with it alone, renames it and deletes it', async ({ page, desk }) => {
  const user = await desk.admin('passkey@club.example.org')
  await addAuthenticator(page)
  await signIn(page, user)
  await openPeople(page)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(toast(page, 'You can sign in with this device from now on')).toBeVisible()
  await logout(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page).toHaveURL(/\/admin/)
  await openPeople(page)
  const list = page.getByRole('table', { name: 'Your passkeys' })
  await list.getByRole('button', { name: /^Edit/ }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Anne’s phone')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(list).toContainText('Anne’s phone')
  await list.getByRole('button', { name: 'Delete Anne’s phone' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'This passkey signs nobody in any more')).toBeVisible()
  await expect(list).toHaveCount(0)
  await logout(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(toast(page, /./).filter({ hasText: 'Error' })).toBeVisible()
  await expect(page).toHaveURL(/\/auth/)
})

test('a device that does not recognise its owner signs nobody in', async ({ page, desk }) => {
  const user = await desk.admin('finger@club.example.org')
  const authenticator = await addAuthenticator(page)
  await signIn(page, user)
  await openPeople(page)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('table', { name: 'Your passkeys' })).toBeVisible()
  await logout(page)
  await authenticator.failUser()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeEnabled()
  await expect(page).toHaveURL(/\/auth/)
})

test('a code after the password: set up, requested, and a printed recovery code if the phone is lost', async ({ page, desk }) => {
  test.slow()
  const user = await desk.admin('code@club.example.org')
  await signIn(page, user)
  await openPeople(page)
  await page.getByRole('button', { name: 'Set up the code' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('img', { name: 'The QR code for your app' })).toBeVisible()
  const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '')
  await dialog.getByLabel('Code that the app shows').fill('000000')
  await dialog.getByRole('button', { name: 'Switch it on' }).click()
  await expect(toast(page, 'Error')).toBeVisible()
  const first = totp(secret)
  await dialog.getByLabel('Code that the app shows').fill(first)
  await dialog.getByRole('button', { name: 'Switch it on' }).click()

  const sheet = page.getByRole('dialog', { name: 'Your recovery codes' })
  await expect(sheet.getByRole('listitem')).toHaveCount(10)
  const codes = await sheet.getByRole('listitem').allInnerTexts()
  const paper = await print(page)
  expect(paper.pages).toBe(1)
  for (const code of codes) expect(paper.text).toContain(code)
  await sheet.getByRole('button', { name: 'I have them' }).click()
  await expect(page.getByText('10 of your recovery codes are left')).toBeVisible()

  // The password alone is not sufficient.
  await logout(page)
  await signIn(page, user)
  await expect(page.getByRole('heading', { name: 'One More Step' })).toBeVisible()
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'One More Step' })).toBeVisible()
  const seen = await page.evaluate(async () => {
    const stored = Object.entries(localStorage).find(([key]) => key.endsWith('auth-token'))
    const { access_token: token } = JSON.parse(stored![1]) as { access_token: string }
    const { anonKey } = (await (await fetch('/_/config.json')).json()) as { anonKey: string }
    const answer = await fetch('/rest/v1/young_artist_entries?select=id', { headers: { apikey: anonKey, authorization: `Bearer ${token}` } })
    return (await answer.json()) as unknown
  })
  expect(seen).toEqual([])
  await page.getByLabel('Code from your app').fill(await nextCode(page, secret, first))
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('tab', { name: 'Summary' })).toBeVisible()

  // The user signs in with a printed recovery code in place of the app's code, and types it in capital letters. Each recovery code works only once.
  await logout(page)
  await signIn(page, user)
  await page.getByRole('button', { name: 'Lost your phone? Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[0]!.toUpperCase())
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('tab', { name: 'Summary' })).toBeVisible()
  await openPeople(page)
  await expect(page.getByText('9 of your recovery codes are left')).toBeVisible()
  await logout(page)
  await signIn(page, user)
  await page.getByRole('button', { name: 'Lost your phone? Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[0]!)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(toast(page, 'Error')).toBeVisible()
  await page.getByLabel('Recovery code').fill(codes[1]!)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('tab', { name: 'Summary' })).toBeVisible()
  await openPeople(page)
  await page.getByRole('button', { name: 'Switch it off' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Switch it off' }).click()
  await expect(page.getByRole('button', { name: 'Set up the code' })).toBeVisible()
})

test('a server whose address is an IP address offers no passkeys', async ({ page, desk }) => {
  await page.goto(`${desk.url.replace('localhost', '127.0.0.1')}/auth`)
  await expect(page.getByRole('button', { name: 'Sign in' })).toHaveCount(1)
})

for (const { name, colorScheme, width } of screens) {
  test(`the ways to sign in are accessible, ${name}`, lane(colorScheme === 'light'), async ({ page, desk }) => {
    const user = await desk.admin(`${colorScheme}@club.example.org`)
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await addAuthenticator(page)
    await page.goto('/auth')
    await expect(page.getByRole('button', { name: 'Sign in with a passkey' })).toBeVisible()
    expect(await violations(page)).toEqual([])
    await signIn(page, user)
    await openPeople(page)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await expect(page.getByRole('button', { name: /^Edit/ })).toBeVisible()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Set up the code' }).click()
    await expect(page.getByRole('img', { name: 'The QR code for your app' })).toBeVisible()
    expect(await violations(page)).toEqual([])
  })
}
