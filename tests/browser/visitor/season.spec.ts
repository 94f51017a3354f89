/**
 * Forms open and close by themselves at the dates of the season. The test checks what visitors see while entries are closed, and what a late link
 * allows.
 */
import { fillArtistForm } from '../support/artist-form.ts'
import { close, closedSeason as season, comingSeason, day, makeLateLink, open, setSeason, written } from '../support/seasons.ts'
import { answer, choose, expect, expectToast, file, rows, taken, test } from '../support/site.ts'

const words = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`))

test.afterEach(({ site }) => open(site))

test('after the last day every form is closed, and the pages are hydrated without changes', async ({ page, site, browser }) => {
  await close(site)
  const problems: string[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  const since = `Entries closed at the end of ${words(season.deadline_on)}.`
  for (const path of ['/young-citizen', '/young-musician', '/young-photographer', '/young-artist']) {
    await page.goto(path)
    await taken(page)
    await expect(page.getByText(since)).toHaveCount(3)
    await expect(page.getByRole('button', { name: /^Submit/ })).toHaveCount(0)
    await page.goto(`${path}?view=form`)
    await expect(page.getByRole('heading', { name: 'Entries are closed' })).toBeVisible()
    await expect(page.locator('main')).toContainText(since)
    await expect(page.locator('form')).toHaveCount(0)
  }
  for (const path of ['/awards-uploads', '/upload-music']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: 'Entries are closed' })).toBeVisible()
    await expect(page.locator('form')).toHaveCount(0)
  }
  expect(problems).toEqual([])
  // The page without JavaScript does not invite visitors to send an entry either.
  const context = await browser.newContext({ baseURL: site.url, javaScriptEnabled: false })
  const plain = await context.newPage()
  await plain.goto('/young-artist')
  await expect(plain.getByText(since)).toHaveCount(3)
  await plain.goto('/young-artist?view=form')
  await expect(plain.getByRole('heading', { name: 'Entries are closed' })).toBeVisible()
  await expect(plain.locator('form')).toHaveCount(0)
  await context.close()
})

test('before the first day the page shows when entries open', async ({ page, site }) => {
  await close(site, comingSeason)
  await page.goto('/young-citizen?view=form')
  await expect(page.locator('main')).toContainText(`Entries open on ${words(comingSeason.opens_on)}.`)
})

test('the deadline passes while a form is open: a message appears, nothing is saved, and no typed text is lost', async ({ page, site }) => {
  await setSeason(site, { ...season, deadline_on: day(0) })
  await written(site, '"isClosed":false')
  await page.goto('/young-artist?view=form')
  await fillArtistForm(page, 'Rory Slow')
  await setSeason(site, season)
  await page.getByRole('button', { name: 'Submit Entry' }).click()
  await expectToast(page, 'Entries are closed', `Entries closed at the end of ${words(season.deadline_on)}.`)
  await expect(page.getByLabel('Entrant’s full name')).toHaveValue('Rory Slow')
  expect(await rows(site, 'young_artist_entries')).toEqual([])
})

test('a late link sends one entry with its files, once; its token is in no URL and no request’s path', async ({ page, site }) => {
  await close(site)
  const token = await makeLateLink(site, 'artist')
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await page.goto(`/young-artist?view=form#late=${token}`)
  await expect(page.getByText('Entries are closed, and this late link lets you send one.')).toBeVisible()
  expect(new URL(page.url()).hash).toBe('')
  await fillArtistForm(page, 'Rory Late')
  await choose(page, [file('late.png', 'image/png', 3000)])
  await expectToast(page, 'Upload successful', '1 file(s)')
  // The late link is still valid after the page is loaded again in the same tab.
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByText('Entries are closed, and this late link lets you send one.')).toBeVisible()
  await page.getByRole('button', { name: 'Submit Entry' }).click()
  await expectToast(page, 'Entry submitted', 'Your entry has been submitted successfully!')
  await expect(page.getByRole('button', { name: /another/i })).toHaveCount(0)
  expect((await rows(site, 'young_artist_entries')).map(({ entrant_name }) => entrant_name)).toEqual(['Rory Late'])
  // The first URL contains the token in its fragment. A browser does not send the fragment to a server.
  expect(addresses.filter((address) => address.replace(/#.*/, '').includes(token))).toEqual([])

  await page.goto('/')
  await page.goto(`/young-artist?view=form#late=${token}`)
  await expect(page.getByText('This late link has been used, was withdrawn, or has ended.')).toBeVisible()
  await expect(page.locator('form')).toHaveCount(0)
})

test('a late link opens its own form and no other', async ({ page, site }) => {
  await close(site)
  const token = await makeLateLink(site, 'music')
  await page.goto(`/young-artist?view=form#late=${token}`)
  await expect(page.getByText('This late link is for another form.')).toBeVisible()
  await page.goto(`/upload-music#late=${token}`)
  await answer(page, { 'Nominee’s name': 'Calum Late' })
  await choose(page, [file('take.mp3', 'audio/mpeg', 3000)])
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expectToast(page, 'Upload complete', '1 file(s) uploaded successfully.')
  expect(await rows(site, 'extra_files')).toHaveLength(1)
})

test('the pages and forms show the dates of the season', async ({ page, site }) => {
  await setSeason(site, { name: 'Season of a test', opens_on: day(-5), deadline_on: '2099-10-29', event_on: '2099-11-12', event_time: '7 PM', ages_on: '2099-09-01' })
  await written(site, '29th October')
  await page.goto('/youth-awards')
  await expect(page.locator('main')).toContainText(/Nominations open on \d+(st|nd|rd|th) \w+ and close on 29th October; the ceremony is on 12th November/)
  await page.goto('/events')
  await expect(page.locator('#youth-awards')).toContainText('12')
  await page.goto('/young-artist?view=form')
  await expect(page.locator('main')).toContainText('Deadline 29th October')
  await expect(page.locator('main')).toContainText('counted as at 1 September 2099')
})
