import { authLink, messageTo } from '../../support/inbox.mjs'
import { add, clientOf, expect, must, signedIn, test, toast } from '../support/club.ts'
import { nomination, png } from '../support/entries.ts'

test('a stranger is sent to the sign-in page, and back after signing in', async ({ page, club }) => {
  await page.goto('/admin?tab=checklist')
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible()
  await expect(page).toHaveURL(/\/auth\?next=/)
  await page.getByLabel('Email').fill(club.admin.email)
  await page.getByLabel('Password').fill(club.admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(toast(page, "You've successfully logged in.")).toContainText('Welcome back!')
  await expect(page).toHaveURL('/admin?tab=checklist')
  await expect(page.getByRole('heading', { name: 'Event Checklist' })).toBeVisible()
})

test('the URL of the sign-in page leads to no other site', async ({ page, club }) => {
  await page.goto('/auth?next=https://evil.example/admin')
  await page.getByLabel('Email').fill(club.admin.email)
  await page.getByLabel('Password').fill(club.admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/admin')
})

test('a wrong password is refused with the server’s message', async ({ page, club }) => {
  await page.goto('/auth')
  await page.getByLabel('Email').fill(club.admin.email)
  await page.getByLabel('Password').fill('not this one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(toast(page, 'Invalid login credentials')).toContainText('Error')
  await expect(page).toHaveURL('/auth')
})

test('email and password are required, and the email must be valid', async ({ page }) => {
  await page.goto('/auth')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByLabel('Email')).toBeFocused()
  await expect(page.getByLabel('Email')).toHaveAttribute('type', 'email')
  await expect(page.getByLabel('Password')).toHaveAttribute('required')
})

test('a user without the admin role is sent to the home page with the reason', async ({ browser, club }) => {
  const page = await signedIn(browser, club, club.member)
  await page.goto('/admin')
  await expect(toast(page, "You don't have admin privileges")).toContainText('Access Denied')
  await expect(page).toHaveURL('/')
  await page.context().close()
})

test('an error of the role check is shown, and leads to the home page', async ({ browser, club }) => {
  const context = await browser.newContext({ baseURL: club.url })
  const page = await context.newPage()
  await page.route('**/rest/v1/rpc/has_role', (route) =>
    route.fulfill({ status: 500, json: { message: 'the lamp is out', code: 'XX000' } }),
  )
  await page.goto('/auth')
  await page.getByLabel('Email').fill(club.admin.email)
  await page.getByLabel('Password').fill(club.admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(toast(page, 'Error checking admin privileges: the lamp is out')).toContainText('Access Denied')
  await expect(page).toHaveURL('/')
  await context.close()
})

test('signing up asks for a confirmation and stays on the page', async ({ page }) => {
  await page.goto('/auth')
  await page.getByRole('button', { name: 'No account yet? Create one' }).click()
  await expect(page.getByRole('heading', { name: 'Create Account' })).toBeVisible()
  await page.getByLabel('Email').fill('newcomer@example.org')
  await page.getByLabel('Password').fill('a long enough one 1')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(toast(page, "We've sent you a confirmation link to complete your registration.")).toContainText('Check your email')
  await expect(page).toHaveURL('/auth')
})

test('logging out leads to the sign-in page and closes the dashboard', async ({ office }) => {
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Logout' }).click()
  await expect(office).toHaveURL('/auth')
  await office.goto('/admin')
  await expect(office).toHaveURL('/auth')
})

test('a session that ends in another tab ends in this tab', async ({ office }) => {
  const other = await office.context().newPage()
  await office.goto('/admin?tab=judges')
  await expect(office.getByRole('heading', { name: 'Judges' })).toBeVisible()
  await other.goto('/admin')
  await other.getByRole('button', { name: 'Logout' }).click()
  await expect(office).toHaveURL(/\/auth\?next=%2Fadmin%3Ftab%3Djudges/)
})

test('an invited admin follows the link, sets a password, reads a nomination and opens its files', async ({ page, club }) => {
  await add(club, 'young_citizen_nominations', {
    ...nomination,
    uploaded_files: ['young-citizen/niamh/1760000000000-picture.png'],
  })
  await must(
    club.database.storage
      .from('youth-awards-submissions')
      .upload('young-citizen/niamh/1760000000000-picture.png', png, { contentType: 'image/png', upsert: true }),
  )

  await page.goto('/setup-admin')
  await page.getByRole('button', { name: 'Send Admin Invitation' }).click()
  await expect(toast(page, 'The invitation email was sent.')).toContainText('Success!')

  const link = authLink(await messageTo(club.url, 'admin@example.org'))
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Set Your Password' })).toBeVisible()
  await expect(page.getByRole('button', { name: /account/ })).toHaveCount(0)

  await page.getByLabel('New password').fill('harbour wall 1925')
  await page.getByLabel('Confirm password').fill('harbour wall 1926')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(toast(page, 'Passwords do not match')).toBeVisible()

  // The form for a new password is still shown after a reload.
  await page.reload()
  await page.getByLabel('New password').fill('harbour wall 1925')
  await page.getByLabel('Confirm password').fill('harbour wall 1925')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(toast(page, 'Your password has been set successfully.')).toContainText('Password updated!')
  await expect(page).toHaveURL('/admin')

  await page.getByRole('tab', { name: /Citizen/ }).click()
  await page.getByRole('button', { name: 'View Details: Niamh Docherty' }).click()
  const dialog = page.getByRole('dialog', { name: 'Young Citizen Nomination: Niamh Docherty' })
  await expect(dialog).toContainText('Ran the breakfast club for a winter.')
  await expect(dialog.getByRole('link', { name: 'Open Full Size' })).toHaveAttribute('href', /token=/)
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download File 1' }).click()
  expect((await download).suggestedFilename()).toBe('niamh-docherty.png')
  await expect(toast(page, 'File downloaded successfully')).toBeVisible()

  // The new password is valid: the client can sign in with it.
  const client = clientOf(club.url, club.anonKey)
  const { error } = await client.auth.signInWithPassword({ email: 'admin@example.org', password: 'harbour wall 1925' })
  expect(error).toBeNull()
})

test('a link that was already used shows this', async ({ page, club }) => {
  const { data } = await club.database.auth.admin.generateLink({
    type: 'recovery',
    email: club.member.email,
    options: { redirectTo: `${club.url}/auth` },
  })
  const link = data.properties?.action_link ?? ''
  await fetch(link, { redirect: 'manual' })
  await page.goto(link)
  await expect(toast(page, 'Email link is invalid or has expired')).toContainText('Error')
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible()
})
