/**
 * Operators use passkeys with Chromium's virtual authenticator: a passkey is refused, added, used to sign in, renamed, and used in place of the
 * password.
 */
import { test, expect, type Page } from '@playwright/test'
import { firstOperator, invited } from '../../support/dashboard.mjs'
import { startProject } from '../../support/program.mjs'
import { addAuthenticator } from '../support/authenticator.ts'
import { violations } from '../support/axe.ts'
import { newContext, settled } from '../support/dashboard.ts'

const PASSWORD = 'Greenock pier at dusk'

let server: Awaited<ReturnType<typeof startProject>>
let owner: Awaited<ReturnType<typeof firstOperator>>

test.beforeAll(async () => {
  server = await startProject({ from: null })
  owner = await firstOperator(server)
})
test.afterAll(() => server?.remove())

/** URL with a host name. A passkey cannot belong to an IP address. */
const at = (path: string) => `http://localhost:${server.port}/_${path}`

async function signedIn(page: Page, email: string) {
  await page.goto(at('/account'))
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible()
  await settled(page)
}

const add = async (page: Page, name: string) => {
  const form = page.locator('form').filter({ has: page.getByRole('button', { name: 'Add a passkey' }) })
  await form.getByLabel('Name of the passkey (optional)').fill(name)
  const password = form.getByLabel('Your password')
  if (await password.isVisible()) await password.fill(PASSWORD)
  await form.getByRole('button', { name: 'Add a passkey' }).click()
}

test('a server at an IP address has no passkeys, and shows where they are possible', async ({ browser }) => {
  const context = await newContext(browser)
  const page = await context.newPage()
  await page.goto(`${server.url}/_/`)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText(at('/'))
  expect(await violations(page)).toEqual([])
  await context.close()
})

test('a cancelled passkey dialog changes nothing, and shows this', async ({ browser }) => {
  await invited(owner, 'viewer', 'cancels@club.example')
  const context = await newContext(browser)
  const page = await context.newPage()
  const { failUser } = await addAuthenticator(page)
  await failUser()
  await signedIn(page, 'cancels@club.example')
  await add(page, 'Never')
  await expect(page.getByText('No passkey was added')).toBeVisible()
  await expect(page.getByText('it was cancelled, or took too long')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Your passkeys' })).toBeHidden()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('it was cancelled, or took too long')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await context.close()
})

test('a passkey is added, signs in, is renamed, replaces the password, and the last one cannot be removed', async ({ browser }) => {
  const email = 'keeps@club.example'
  await invited(owner, 'developer', email)
  const context = await newContext(browser)
  const page = await context.newPage()
  await addAuthenticator(page)
  await signedIn(page, email)
  await add(page, 'This laptop')
  const table = page.getByRole('table', { name: 'Your passkeys' })
  await expect(table.getByText('This laptop')).toBeVisible()
  // The device already contains a passkey for this account.
  await add(page, 'Again')
  await expect(page.getByText('This device has a passkey of yours already')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Rename This laptop' }).click()
  expect(await violations(page)).toEqual([])
  await page.getByRole('dialog').getByLabel('Name').fill('Work laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await expect(table.getByText('Work laptop')).toBeVisible()

  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('heading', { name: 'Your account' })).toBeVisible()
  await expect(table.getByText('never')).toBeHidden()

  await page.getByRole('button', { name: 'Sign in with passkeys only' }).click()
  expect(await violations(page)).toEqual([])
  await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the password' }).click()
  await expect(page.getByText('your passkeys alone sign you in').first()).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeHidden()

  await page.getByRole('button', { name: 'Remove Work laptop' }).click()
  expect(await violations(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('The last way to sign in stays')).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByLabel('New password').fill('Another pier at dawn')
  await page.getByRole('button', { name: 'Make a password' }).click()
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove Work laptop' }).click()
  await page.getByRole('dialog').getByLabel('Your password').fill('Another pier at dawn')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(table).toBeHidden()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('This passkey is not accepted')
  await context.close()
})
