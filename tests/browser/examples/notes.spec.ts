/**
 * Starts examples/notes, the app of docs/start.md, with the two commands of its README. Checks accounts, notes that only their owner sees, a picture,
 * live updates in a second window, the function, and the built app that Cloch serves.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { root } from '../../docs/pages.mjs'
import { violations } from '../support/axe.ts'
import { signIn, signUp, startExample } from '../support/example.ts'
import { lane } from '../support/lane.ts'

const PHOTO = join(root, 'supabase-config/demo/objects/youth-awards-submissions/artist/poppy-mciver/1767225600000-poppy-mciver.jpg')
const notes = ['Lamp oil, two litres', 'Ask Morag about the harbour wall.\nThursday, half past six', 'High water at Greenock: 14:20. Take the long rope.', 'The drawing for Saturday is done.']
const anne = { email: 'anne@example.org', password: 'kestrel harbour bright' }

async function write(page: Page, body: string) {
  await page.getByLabel('New note').fill(body)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('listitem').first()).toContainText(body.split('\n')[0]!)
}

// npm downloads the packages of the example.
test('the example does what its page says', lane(false), async ({ page, browser, context }) => {
  // The installation from npm, a build with Vite and two starts of the server take minutes.
  test.setTimeout(600_000)
  const place = await startExample('notes')
  try {
    await place.startApp()
    await page.setViewportSize({ width: 1080, height: 720 })
    await page.goto(place.appUrl)
    expect(await violations(page)).toEqual([])

    // The user first enters a wrong password. The page shows the error.
    await signIn(page, { ...anne, password: 'another password' })
    await expect(page.getByRole('alert')).toHaveText('Invalid login credentials')
    await signUp(page, anne)

    // Another user does not see the notes of the first user.
    const other = await (await browser.newContext()).newPage()
    await other.goto(place.appUrl)
    await signUp(other, { ...anne, email: 'bo@example.org' })

    const second = await context.newPage()
    await second.goto(place.appUrl)
    await expect(second.getByText(anne.email)).toBeVisible()

    for (const body of notes) await write(page, body)
    await expect(page.getByRole('listitem')).toHaveCount(notes.length)
    // The page updates the second window of the same user without a reload. It does not update the window of the other user.
    await expect(second.getByRole('listitem')).toHaveCount(notes.length)
    await expect(other.getByRole('listitem')).toHaveCount(0)

    const first = page.getByRole('listitem').filter({ hasText: 'The drawing' })
    await first.getByLabel('Picture').setInputFiles({ name: 'pier.jpg', mimeType: 'image/jpeg', buffer: readFileSync(PHOTO) })
    const image = first.locator('img')
    await expect(image).toBeVisible()
    expect(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth))).toBeGreaterThan(0)
    await expect(second.getByRole('listitem').locator('img')).toHaveCount(1)
    expect(await violations(page)).toEqual([])

    // Another user cannot read the picture, even with its path.
    const stolen = await other.evaluate(async ({ url, key, path }) => {
      const session = JSON.parse(Object.entries(localStorage).find(([name]) => name.startsWith('sb-'))![1]) as { access_token: string }
      const headers = { apikey: key, Authorization: `Bearer ${session.access_token}` }
      return (await fetch(`${url}/storage/v1/object/authenticated/pictures/${path}`, { headers })).status
    }, { url: place.url, key: place.keys.PUBLISHABLE_KEY, path: new URL((await image.getAttribute('src'))!).pathname.split('/pictures/')[1]! })
    expect(stolen).toBe(400)

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const markdown = readFileSync(await (await download).path(), 'utf8')
    expect(markdown).toContain('# My notes')
    for (const body of notes) expect(markdown).toContain(body)

    await page.getByRole('listitem').filter({ hasText: 'Lamp oil' }).getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('listitem')).toHaveCount(notes.length - 1)
    await expect(second.getByRole('listitem')).toHaveCount(notes.length - 1)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByRole('listitem')).toHaveCount(0)
    await signIn(page, anne)
    await expect(page.getByRole('listitem')).toHaveCount(notes.length - 1)

    // The tutorial docs/start.md also uses the dashboard.
    const dashboard = await (await browser.newContext({ viewport: { width: 1080, height: 720 } })).newPage()
    await dashboard.goto(place.keys.DASHBOARD_LINK)
    await dashboard.getByLabel('E-mail').fill(anne.email)
    await dashboard.getByLabel('Password').fill(anne.password)
    await dashboard.getByRole('button', { name: 'Set the password and sign in' }).click()
    await expect(dashboard.getByRole('link', { name: 'Tables', exact: true })).toBeVisible()
    await dashboard.goto(`${place.url}/_/tables/public/notes`)
    await expect(dashboard.getByRole('gridcell', { name: notes[2]! })).toBeVisible()

    // Cloch serves the built app at its own URL.
    place.shell('npm run build\nsed -i "s/^# \\(\\[web\\]\\|app = \\)/\\1/" supabase/cloch.toml')
    await place.start('cloch start')
    await page.goto(place.url)
    await expect(page.getByRole('heading', { name: 'Notes' })).toBeVisible()
    await signIn(page, anne)
    await expect(page.getByRole('listitem')).toHaveCount(notes.length - 1)
  } finally {
    await place.remove()
  }
})
