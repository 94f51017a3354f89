/**
 * Starts examples/next-ssr with the two commands of its README. Checks sessions in cookies, rows that only their owner sees, a server action, the
 * refresh in the proxy, and the end of a session. Then uses the same session in the built app.
 */
import { expect as impatient, test, type BrowserContext, type Page } from '@playwright/test'
import { SignJWT, decodeJwt } from 'jose'
import { violations } from '../support/axe.ts'
import { signIn, signUp, startExample } from '../support/example.ts'
import { lane } from '../support/lane.ts'

// A development server compiles a page at its first request.
const expect = impatient.configure({ timeout: 120_000 })
const anne = { email: 'anne@example.org', password: 'kestrel harbour bright' }
const flags = ['--hostname', '127.0.0.1']

interface Session {
  access_token: string
  refresh_token: string
  expires_at: number
}

async function add(page: Page, title: string) {
  await page.getByLabel('Title').fill(title)
  await page.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: title })).toBeVisible()
}

/** Returns the cookies of the session, in the order of their parts. */
const sessionCookies = async (context: BrowserContext) => {
  const cookies = await context.cookies()
  return cookies.filter(({ name }) => /^sb-.*-auth-token(\.\d+)?$/.test(name)).sort((a, b) => a.name.localeCompare(b.name))
}

async function readSession(context: BrowserContext): Promise<Session> {
  const value = (await sessionCookies(context)).map((cookie) => cookie.value).join('')
  expect(value).toMatch(/^base64-/)
  return JSON.parse(Buffer.from(value.slice('base64-'.length), 'base64url').toString()) as Session
}

/** Replaces the session of a browser. Each cookie contains 3,000 characters of it. */
async function writeSession(context: BrowserContext, session: Session, cookies: Awaited<ReturnType<typeof sessionCookies>>) {
  const [first] = cookies
  const name = first!.name.replace(/\.\d+$/, '')
  await context.clearCookies({ name: /^sb-.*-auth-token/ })
  const parts = `base64-${Buffer.from(JSON.stringify(session)).toString('base64url')}`.match(/.{1,3000}/g)!
  const { domain, path } = first!
  await context.addCookies(parts.map((value, index) => ({ name: parts.length === 1 ? name : `${name}.${index}`, value, domain, path, httpOnly: true })))
}

/** Returns the session as it is an hour later: with an expired access token and a valid refresh token. */
async function expired(session: Session, { url, keys }: { url: string; keys: { JWT_SECRET: string; ANON_KEY: string } }): Promise<Session> {
  const past = Math.floor(Date.now() / 1000) - 60
  const claims = { ...decodeJwt(session.access_token), iat: past - 3600, exp: past }
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(new TextEncoder().encode(keys.JWT_SECRET))
  // The server refuses the token only because the token has expired.
  const answer = await fetch(`${url}/rest/v1/books?select=id`, { headers: { apikey: keys.ANON_KEY, Authorization: `Bearer ${token}` } })
  expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ message: 'JWT expired' })])
  return { ...session, access_token: token, expires_at: past }
}

// npm downloads the packages of the example.
test('the example does what its page says', lane(false), async ({ page, browser, context }) => {
  // The installation from npm, the compilation by Next, and a build take minutes.
  test.setTimeout(1_200_000)
  const place = await startExample('next-ssr')
  try {
    await place.startApp('dev', flags)

    // The app redirects a visitor to the form. For a wrong password, the form shows a message.
    await page.goto(place.appUrl)
    await expect(page).toHaveURL(/\/sign-in$/)
    expect(await violations(page)).toEqual([])
    await signIn(page, { ...anne, password: 'another password' })
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('Invalid login credentials')
    await signUp(page, anne)
    await add(page, 'Highland River')
    await add(page, 'The Silver Darlings')
    await page.getByRole('listitem').filter({ hasText: 'Highland' }).getByRole('button', { name: 'Mark as read' }).click()
    await expect(page.getByRole('button', { name: 'Read again' })).toBeVisible()
    // The title is longer than the constraint of the column allows. The form shows the message of the database.
    await page.getByLabel('Title').evaluate((input: HTMLInputElement) => input.removeAttribute('maxlength'))
    await page.getByLabel('Title').fill('x'.repeat(201))
    await page.getByRole('button', { name: 'Add' }).click()
    await expect(page.getByRole('main').getByRole('alert')).toContainText('books_title_check')
    expect(await violations(page)).toEqual([])

    // Another user can neither see nor change the rows of the first user.
    const otherContext = await browser.newContext()
    const other = await otherContext.newPage()
    await other.goto(place.appUrl)
    await signUp(other, { ...anne, email: 'bo@example.org' })
    await expect(other.getByRole('listitem')).toHaveCount(0)
    await add(other, 'Sunset Song')
    await page.reload()
    await expect(page.getByRole('listitem')).toHaveText([/Highland River/, /The Silver Darlings/])

    // The server renders the page with the data of the session, so the page is the same without scripts. Scripts in the page cannot read the session.
    expect(await page.evaluate(() => document.cookie)).toBe('')
    const { cookies } = await context.storageState()
    const plain = await browser.newContext({ javaScriptEnabled: false, storageState: { cookies, origins: [] } })
    const html = await plain.newPage()
    await html.goto(place.appUrl)
    await expect(html.getByText(anne.email)).toBeVisible()
    await expect(html.getByRole('listitem')).toHaveText([/Highland River/, /The Silver Darlings/])
    await plain.close()

    // When the access token has expired, the proxy refreshes the session, and the same request already returns the rows.
    const session = await readSession(context)
    await writeSession(context, await expired(session, place), await sessionCookies(context))
    const response = await page.goto(place.appUrl)
    await expect(page.getByRole('listitem')).toHaveCount(2)
    expect(await response!.headerValue('cache-control')).toContain('no-store')
    const refreshed = await readSession(context)
    expect(refreshed.refresh_token).not.toBe(session.refresh_token)
    expect(decodeJwt(refreshed.access_token).exp!).toBeGreaterThan(Date.now() / 1000)
    // A server action also works when the access token has expired.
    await writeSession(context, await expired(refreshed, place), await sessionCookies(context))
    await add(page, 'Morning Tide')
    const last = await readSession(context)
    expect(last.refresh_token).not.toBe(refreshed.refresh_token)

    // The built app accepts the same session.
    await place.stopApp()
    place.shell('npm run build')
    await place.startApp('start', flags)
    await page.goto(place.appUrl)
    await expect(page.getByRole('listitem')).toHaveCount(3)

    // The sign-out deletes the cookies. The old cookies are no longer valid.
    const old = await sessionCookies(context)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page).toHaveURL(/\/sign-in$/)
    expect(await sessionCookies(context)).toEqual([])
    await page.goto(place.appUrl)
    await expect(page).toHaveURL(/\/sign-in$/)
    await writeSession(context, await expired(last, place), old)
    await page.goto(place.appUrl)
    await expect(page).toHaveURL(/\/sign-in$/)
    expect(await sessionCookies(context)).toEqual([])
    await signIn(page, anne)
    await expect(page.getByRole('listitem')).toHaveCount(3)

    // The session of the other user continues.
    await other.goto(place.appUrl)
    await expect(other.getByRole('listitem')).toHaveText([/Sunset Song/])
  } finally {
    await place.remove()
  }
})
