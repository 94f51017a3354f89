import { authLink, messageTo } from '../../support/inbox.mjs'
import { clientOf, expect, must, signedIn, test, toast, type Club } from '../support/club.ts'
import type { Page } from '@playwright/test'

const openPeople = (page: Page) => page.goto('/admin?tab=people')

/** Invites a person with the form. Returns the link in the mail. */
async function invite(office: Page, club: Club, email: string): Promise<string> {
  await office.getByRole('button', { name: 'Invite Admin' }).click()
  const dialog = office.getByRole('dialog', { name: 'Invite Admin' })
  await dialog.getByLabel('Email').fill(email)
  await dialog.getByRole('button', { name: 'Send Invitation' }).click()
  await expect(toast(office, `The invitation was sent to ${email}`)).toBeVisible()
  return authLink(await messageTo(club.url, email))
}

test('a second admin: invited, listed, signed in, and removed', async ({ office, club, browser }) => {
  await openPeople(office)
  const list = office.getByRole('table', { name: 'Administrators' })
  await expect(list.getByRole('row', { name: new RegExp(`${club.admin.email} \\(you\\)`) })).toContainText('Administrator')
  await expect(office.getByRole('button', { name: `Remove ${club.admin.email}` })).toHaveCount(0)
  const link = await invite(office, club, 'treasurer@club.example.org')
  await expect(list.getByRole('row', { name: /treasurer@club/ })).toContainText('Invited')

  const context = await browser.newContext({ baseURL: club.url })
  const theirs = await context.newPage()
  await theirs.goto(link)
  await theirs.getByLabel('New password').fill('a lamp in the window 9')
  await theirs.getByLabel('Confirm password').fill('a lamp in the window 9')
  await theirs.getByRole('button', { name: 'Set password' }).click()
  await expect(theirs).toHaveURL('/admin')
  await openPeople(theirs)
  await expect(theirs.getByRole('row', { name: /treasurer@club.example.org \(you\)/ })).toBeVisible()

  await office.reload()
  await expect(list.getByRole('row', { name: /treasurer@club/ })).toContainText('Administrator')
  await office.getByRole('button', { name: 'Remove treasurer@club.example.org' }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(toast(office, 'treasurer@club.example.org is no administrator any more')).toBeVisible()
  await expect(list.getByRole('row', { name: /treasurer@club/ })).toHaveCount(0)
  // After the removal, the server refuses the requests of the former admin's page, and the password gives no access.
  await theirs.goto('/admin')
  await expect(theirs.getByRole('heading', { name: 'Citizen nominations' })).toHaveCount(0)
  const client = clientOf(club.url, club.anonKey)
  const { error } = await client.auth.signInWithPassword({ email: 'treasurer@club.example.org', password: 'a lamp in the window 9' })
  expect(error?.message).toBe('Invalid login credentials')
  await context.close()
})

test('the link of a withdrawn invitation no longer works', async ({ office, club, page }) => {
  await openPeople(office)
  const link = await invite(office, club, 'mistake@club.example.org')
  await office.getByRole('button', { name: 'Remove mistake@club.example.org' }).click()
  await expect(office.getByRole('alertdialog')).toContainText('stops working')
  await office.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(toast(office, 'mistake@club.example.org is no administrator any more')).toBeVisible()
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible()
  await expect(toast(page, 'Email link is invalid or has expired')).toBeVisible()
})

test('a forgotten password: the same response for every address, and a link that sets a new password', async ({ page, club }) => {
  const email = 'forgetful@club.example.org'
  const { data } = await club.database.auth.admin.createUser({ email, password: 'an old one 1925', email_confirm: true })
  await must(club.database.from('user_roles').insert({ user_id: data.user?.id, role: 'admin' }))
  await page.goto('/auth')
  await page.getByRole('button', { name: 'Forgotten your password?' }).click()
  await expect(page.getByRole('heading', { name: 'Reset Your Password' })).toBeVisible()
  for (const address of ['nobody@club.example.org', email]) {
    await page.getByLabel('Email').fill(address)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await expect(toast(page, 'If this address has an account').last()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Send the link' })).toBeEnabled()
  }
  await page.goto(authLink(await messageTo(club.url, email, /new password/)))
  await expect(page.getByRole('heading', { name: 'Set Your Password' })).toBeVisible()
  await page.getByLabel('New password').fill('a new one 2026')
  await page.getByLabel('Confirm password').fill('a new one 2026')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page).toHaveURL('/admin')
  const old = await clientOf(club.url, club.anonKey).auth.signInWithPassword({ email, password: 'an old one 1925' })
  expect(old.error?.message).toBe('Invalid login credentials')
})

test('Logout ends the session on this device only; ending all sessions is a choice', async ({ office, club, browser }) => {
  const other = await signedIn(browser, club, club.admin)
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Logout' }).click()
  await expect(office).toHaveURL('/auth')
  await other.goto('/admin?tab=people')
  await expect(other.getByRole('heading', { name: 'Your devices' })).toBeVisible()
  const third = await signedIn(browser, club, club.admin)
  await third.goto('/admin')
  await other.getByRole('button', { name: 'Log out everywhere' }).click()
  await expect(other).toHaveURL('/auth')
  const refused = third.waitForResponse((answer) => answer.url().includes('/auth/v1/token'))
  await third.evaluate(() => {
    // An access token remains valid until it expires, even after its session has ended. Therefore the test marks the token in the browser as expired.
    for (const key of Object.keys(localStorage).filter((name) => name.endsWith('-auth-token'))) {
      const session = JSON.parse(localStorage.getItem(key) ?? '{}') as { expires_at: number }
      localStorage.setItem(key, JSON.stringify({ ...session, expires_at: 1 }))
    }
  })
  await third.goto('/admin')
  expect((await refused).status()).toBe(400)
  await expect(third).toHaveURL(/\/auth/)
  await other.context().close()
  await third.context().close()
})
