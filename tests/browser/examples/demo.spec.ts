/**
 * Runs `cloch start --demo` in a browser: the dashboard with its data, and the app of examples/notes with the notes of a member. With
 * CLOCH_PICTURES=1, the test writes the pictures of the pages (scripts/docs-pictures).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type Page } from '@playwright/test'
import { Place } from '../../docs/place.mjs'
import { violations } from '../support/axe.ts'
import { signIn } from '../support/example.ts'
import { lane } from '../support/lane.ts'
import { picture } from '../support/picture.ts'

/** Waits until the demo has printed how to sign in. Returns the URL, the e-mail address and the password. */
async function printed(place: Place) {
  const line = /Sign in +(\S+)\/_\/ with (\S+) and the password (\S+)/
  await expect.poll(() => readFileSync(place.output, 'utf8'), { timeout: 60_000 }).toMatch(line)
  const [, url, email, password] = line.exec(readFileSync(place.output, 'utf8'))!
  return { url: url!, email: email!, password: password! }
}

async function opened(page: Page, path: string, cell: string) {
  await page.goto(path)
  await expect(page.getByText(cell).first()).toBeVisible()
}

// npm downloads the packages of the app.
test('the demo shows its data in the dashboard and in the app of the tutorial', lane(false), async ({ browser }) => {
  // The installation from npm, the start with data, and the wait for samples in a picture take minutes.
  test.setTimeout(600_000)
  const place = await Place.make({ hasProject: false })
  try {
    const data = join(place.folder, 'demo')
    place.shell('cp -r ~/cloch/examples/notes ~/notes\nrm -rf ~/notes/node_modules ~/notes/dist ~/notes/.cloch\ncd ~/notes\nnpm install\nnpm pkg set scripts.demo=vite')
    await place.start(`cloch start --demo --port ${new URL(place.url).port} --data ${data}`)
    const demo = await printed(place)
    expect(demo.url).toBe(place.url)

    const page = await (await browser.newContext({ viewport: { width: 1080, height: 720 } })).newPage()
    await page.goto(`${demo.url}/_/`)
    await page.getByLabel('E-mail').fill(demo.email)
    await page.getByLabel('Password').fill(demo.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('link', { name: 'Tables', exact: true })).toBeVisible()
    // The pictures must show some samples in the charts. The server takes a sample every ten seconds.
    if (process.env.CLOCH_PICTURES !== undefined) await page.waitForTimeout(45_000)
    expect(await violations(page)).toEqual([])
    await picture(page, 'dashboard')
    await page.goto(`${demo.url}/_/tables/public/notes`)
    await expect(page.getByRole('gridcell', { name: 'High water at Greenock: 14:20. Take the long rope.' })).toBeVisible()
    await picture(page, 'table')
    await opened(page, `${demo.url}/_/tables/public/boats`, 'Isle of Bute')
    await opened(page, `${demo.url}/_/users`, 'kirsty@example.org')
    await opened(page, `${demo.url}/_/files`, 'documents')
    await opened(page, `${demo.url}/_/functions`, 'tide-table')
    await opened(page, `${demo.url}/_/jobs`, 'harbour-readings')

    writeFileSync(join(place.work, '.env.local'), `VITE_SUPABASE_URL=${demo.url}\nVITE_SUPABASE_KEY=${place.keys.PUBLISHABLE_KEY}\n`)
    await place.startApp('demo')
    const app = await (await browser.newContext({ viewport: { width: 1080, height: 720 } })).newPage()
    await app.goto(place.appUrl)
    await signIn(app, { email: 'anne@example.org', password: demo.password })
    await expect(app.getByRole('listitem')).toHaveCount(4)
    const image = app.getByRole('listitem').first().locator('img')
    await expect(image).toBeVisible()
    expect(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth))).toBe(640)
    await picture(app, 'notes')
  } finally {
    await place.remove()
  }
})
