/** The privacy page is generated from the club's settings and the seasons. Its statements match the behaviour of the database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProject } from '../../support/program.mjs'
import { choose, clubSettings, expect, file, test } from '../support/site.ts'

test('the privacy page explains who stores which data, how long, and how to have it deleted; every page links to it', async ({ page }) => {
  // A click would be lost while React hydrates the page, so the test waits.
  await page.goto('/', { waitUntil: 'networkidle' })
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click()
  await expect(page).toHaveURL('/privacy')
  await expect(page.getByRole('heading', { level: 2, name: 'Correct it, withdraw it, have it deleted' })).toBeVisible()
  await expect(page.locator('main').getByRole('link', { name: 'club@example.org' }).first()).toBeVisible()
  await expect(page.locator('main')).toContainText('The date of this season’s event is not set yet.')
  await expect(page.locator('main')).not.toContainText('charity')
})

test('the privacy page lists the seasons, each with the day from which its data is deleted', async ({ site, browser }) => {
  const { error } = await site.database.from('seasons').insert({ name: 'Season of a test', event_on: '2031-11-13' })
  expect(error).toBeNull()
  const context = await browser.newContext({ baseURL: site.url, javaScriptEnabled: false })
  const page = await context.newPage()
  await expect(async () => {
    await page.goto('/privacy')
    await expect(page.getByRole('listitem').filter({ hasText: 'Season of a test' })).toContainText(
      'Event on 13 November 2031. To be destroyed from 13 February 2032 on.',
      { timeout: 1000 },
    )
  }).toPass()
  await site.database.from('seasons').delete().eq('name', 'Season of a test')
  await context.close()
})

test('the notice below the forms links to the privacy page', async ({ page }) => {
  await page.goto('/young-citizen?view=form')
  await expect(page.getByRole('link', { name: 'How the club keeps data, and how to have it deleted' })).toHaveAttribute('href', '/privacy')
})

test('the notice is the same below a form without a choice of publicity and on the privacy page', async ({ page }) => {
  const consent = 'The entrant’s name and image may be used for publicity, with your consent.'
  for (const path of ['/young-citizen?view=form', '/young-musician?view=form', '/privacy']) {
    await page.goto(path)
    await expect(page.getByRole('listitem').filter({ hasText: 'may be used for publicity' })).toHaveText(consent)
  }
})

test('the privacy page and a draft say the same about the draft: its files are on the server', async ({ page, site }) => {
  await page.goto('/privacy')
  await expect(page.locator('main')).toContainText('Files are not in it')
  await page.goto('/young-citizen?view=form')
  await choose(page, [file('letter.txt', 'text/plain', 100)])
  await expect(page.getByText('It lists the files that are uploaded; the files themselves are on the club’s server.').filter({ visible: true })).toBeVisible()
  const { data } = await site.database.storage.from('youth-awards-submissions').list('young-citizen/entrant')
  expect(data?.map(({ name }) => name.replace(/^\d+-/, ''))).toContain('letter.txt')
})

test('backups: the page gives no retention period if the server makes no backups, and otherwise the server’s own', async ({ page }) => {
  await page.goto('/privacy')
  const copies = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Copies' }) })
  await expect(copies).toContainText('Backups hold what was there when they were made, until newer ones take their place.')
  const target = mkdtempSync(join(tmpdir(), 'cloch-test-backup-'))
  const backup = `[backup]\nto = ${JSON.stringify(target)}\nencrypt_to = "a passphrase that is long enough"\n[backup.keep]\ndays = 20\nweeks = 2\nmonths = 0\n`
  const server = await startProject({ files: { 'cloch.toml': `${clubSettings()}\n${backup}` } })
  try {
    await page.goto(`${server.url}/privacy`)
    // Every moment of the last twenty days can be restored. Two days are added because base backups are a day apart.
    await expect(copies).toContainText('Backups are deleted after 22 days.')
  } finally {
    await server.remove()
    rmSync(target, { recursive: true, force: true })
  }
})
