/** The sign-in form refuses a wrong password and accepts the right one. Then it shows the page at the requested URL. */
import { violations } from '../support/axe.ts'
import { EMAIL, expect, newContext, open, PASSWORD, test } from '../support/dashboard.ts'

test('nobody can sign in with a used link, a wrong password or a project key', async ({ stranger: page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/welcome#token=used-up-long-ago`)
  await expect(page.getByRole('heading', { name: 'This link cannot be used' })).toBeVisible()
  await page.goto(`${dashboard.url}/_/users`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  const withKey = await page.request.get(`${dashboard.url}/_/api/users`, {
    headers: { apikey: dashboard.serviceKey, authorization: `Bearer ${dashboard.serviceKey}` },
  })
  expect(withKey.status()).toBe(401)
})

test('an operator signs in, gets to the requested page, and signs out', async ({ stranger: page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/users?search=ada`)
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible()
  await expect(page.getByRole('button', { name: 'ada@example.com' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'bo@example.com' })).toBeHidden()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('a viewer, invited by the owner, reads and is offered no change', async ({ owner, browser, dashboard }) => {
  await open(owner, dashboard, '/operators', 'Operators')
  await owner.getByRole('button', { name: 'Invite an operator' }).click()
  const email = `viewer-${Date.now()}@example.com`
  await owner.getByLabel('E-mail').fill(email)
  await owner.getByLabel('Role').selectOption('viewer')
  await owner.getByRole('button', { name: 'Make a link' }).click()
  const link = await owner.getByRole('dialog').locator('code').textContent()
  const context = await newContext(browser)
  const viewer = await context.newPage()
  await viewer.goto(link ?? '')
  await viewer.getByLabel('Password').fill(PASSWORD)
  await viewer.getByRole('button', { name: 'Set the password and sign in' }).click()
  await viewer.getByRole('link', { name: 'Users', exact: true }).click()
  await viewer.getByRole('button', { name: 'ada@example.com' }).click()
  await expect(viewer.getByRole('dialog').getByText('Last sign-in')).toBeVisible()
  await expect(viewer.getByRole('button', { name: 'Ban' })).toBeHidden()
  await viewer.keyboard.press('Escape')
  await viewer.getByRole('link', { name: 'Policies', exact: true }).click()
  await expect(viewer.getByRole('heading', { name: 'notes' })).toBeVisible()
  await expect(viewer.getByRole('button', { name: 'New policy' })).toBeHidden()
  // The server also refuses requests for the content that the page does not show to a viewer.
  const refused = await viewer.evaluate(async () => {
    const { csrf } = await (await fetch('/_/api/session')).json()
    const headers = { 'content-type': 'application/json', 'x-cloch-csrf': csrf }
    return (await fetch('/_/api/files/buckets', { method: 'POST', headers, body: '{"id":"mine","public":true}' })).status
  })
  expect(refused).toBe(403)
  await context.close()
})

test('the colour scheme follows the choice, and the choice is kept', async ({ owner, dashboard }) => {
  await owner.emulateMedia({ colorScheme: 'light' })
  await open(owner, dashboard, '/')
  const root = owner.locator('html')
  await expect(root).toHaveAttribute('data-theme', 'light')
  await owner.getByRole('button', { name: /^Colours: system/ }).click()
  await owner.getByRole('button', { name: /^Colours: light/ }).click()
  await expect(root).toHaveAttribute('data-theme', 'dark')
  await owner.reload()
  await expect(root).toHaveAttribute('data-theme', 'dark')
  const background = await owner.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(background).toBe('rgb(11, 25, 36)')
})
