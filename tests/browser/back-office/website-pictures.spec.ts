/**
 * The pictures on the website: pictures of events, and the results with their gallery. Visitors see only published content. A name or a picture is
 * shown only with a consent.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { add, clientOf, expect, must, test, toast } from '../support/club.ts'
import { artist } from '../support/entries.ts'
import { openChanges, openPart, plain, publish } from '../support/website.ts'

const root = resolve(import.meta.dirname, '../../..')
const photograph = 'supabase-config/demo/objects/youth-awards-submissions/photographer/angus-tulloch/1767225600000-angus-tulloch.jpg'

test('a picture of an event: refused without a description, shown in the preview, public once published, then removed', async ({
  office,
  club,
  browser,
}) => {
  const picture = { name: 'Cup day.jpg', mimeType: 'image/jpeg', buffer: readFileSync(join(root, photograph)) }
  // The event must be at the top of its page. The page removes an event after its last day.
  await must(club.database.from('site_events').update({ last_day: '2099-11-13' }).eq('slug', 'youth-awards').select())
  await openPart(office, 'events')
  await office.getByRole('button', { name: 'Edit Youth Awards' }).click()
  const form = office.getByRole('dialog', { name: 'Edit Event' })
  const input = form.getByTestId('field-picture-input')
  await input.setInputFiles({ ...picture, name: 'cup.gif', mimeType: 'image/gif' })
  await expect(toast(office, 'cup.gif cannot be sent here.')).toBeVisible()
  await input.setInputFiles(picture)
  await expect(form.getByRole('group', { name: 'Picture' }).locator('img[src^="blob:"]')).toBeVisible()
  await form.getByRole('button', { name: 'Save Event' }).click()
  await expect(form).toContainText('Please say what the picture shows')
  await form.getByLabel('What the picture shows').fill('A cup & two <rowers>')
  await form.getByRole('button', { name: 'Save Event' }).click()
  await expect(toast(office, 'Event updated successfully')).toBeVisible()
  const [event] = await must(club.database.from('site_events').select('picture').eq('slug', 'youth-awards'))
  const path = event?.picture as string
  expect(path).toMatch(/^events\/\d+-Cup day\.jpg$/)

  const read = () => clientOf(club.url, club.anonKey).storage.from('site-pictures').download(path)
  expect((await read()).error).not.toBeNull()
  const visitor = await (await browser.newContext({ baseURL: club.url })).newPage()
  await visitor.goto('/events')
  await expect(visitor.getByRole('img', { name: 'A cup & two <rowers>' })).toHaveCount(0)
  const preview = await office.context().newPage()
  await preview.goto(`${club.url}/events?preview`)
  await expect(preview.getByRole('img', { name: 'A cup & two <rowers>' })).toHaveAttribute('src', /^blob:/)
  await preview.close()

  await publish(office)
  expect((await read()).error).toBeNull()
  await expect(async () => {
    await visitor.reload()
    await expect(visitor.getByRole('img', { name: 'A cup & two <rowers>' })).toHaveAttribute('src', /^blob:/, { timeout: 2000 })
  }).toPass()
  await visitor.getByRole('button', { name: /View details ?: Youth Awards/ }).click()
  const dialog = visitor.getByRole('dialog', { name: 'Youth Awards' })
  await expect(dialog.getByRole('img', { name: 'A cup & two <rowers>' })).toHaveAttribute('src', /^blob:/)
  await visitor.context().close()

  await office.getByRole('button', { name: 'Edit Youth Awards' }).click()
  await form.getByRole('button', { name: 'Remove picture' }).click()
  await form.getByRole('button', { name: 'Save Event' }).click()
  await expect(form).toHaveCount(0)
  expect((await read()).error).toBeNull()
  await publish(office)
  expect((await read()).error).not.toBeNull()
  await must(club.database.from('site_events').update({ last_day: '2025-11-13' }).eq('slug', 'youth-awards').select())
})

test('results: only with consent, published, and removed at once when the consent is withdrawn', async ({ office, club, browser }) => {
  const upload = async (name: string) => {
    const path = `artist/${name}/${Date.now()}-${name}.jpg`
    await must(club.database.storage.from('youth-awards-submissions').upload(path, readFileSync(join(root, photograph)), { contentType: 'image/jpeg' }))
    return path
  }
  const entry = { ...artist, category: 'Senior', age: 15 }
  const [ann] = await add(club, 'young_artist_entries', [
    { ...entry, entrant_name: 'Ann Alder', artwork_title: 'Tide & <moon>', senior_ranking: 1, publicity_consent: 'agree', uploaded_files: [await upload('ann')] },
    { ...entry, entrant_name: 'Bob Birch', artwork_title: 'Wind', senior_ranking: 2, publicity_consent: 'disagree', uploaded_files: [await upload('bob')] },
  ])
  const visitor = clientOf(club.url, club.anonKey).storage.from('youth-awards-submissions')
  const [picture] = (ann as unknown as { uploaded_files: [string] }).uploaded_files
  await openPart(office, 'results')
  await expect(office.getByText('Nothing here yet')).toBeVisible()
  await office.getByRole('button', { name: /^Add the results of/ }).click()
  await expect(toast(office, '1 entry was added')).toBeVisible()
  await expect(office.getByRole('row', { name: /Ann Alder/ })).toContainText('1st place, Senior')
  await expect(office.getByText('Bob Birch')).toHaveCount(0)
  await expect(await openChanges(office)).toContainText('Appears: Young Artist Award: Ann Alder, 1st place, Senior')
  expect((await visitor.download(picture)).error).not.toBeNull()
  await publish(office)
  expect((await visitor.download(picture)).error).toBeNull()

  await expect(async () => {
    const page = await plain(browser, club, '/results')
    await expect(page.getByRole('heading', { name: 'Ann Alder' })).toBeVisible({ timeout: 1000 })
    await expect(page.locator('body')).not.toContainText('Bob Birch')
    await page.context().close()
  }).toPass()
  const page = await (await browser.newContext({ baseURL: club.url })).newPage()
  const problems: string[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto('/results')
  await expect(page.getByRole('img', { name: 'Tide & <moon>, by Ann Alder' })).toHaveAttribute('src', /^blob:/)
  expect(problems).toEqual([])
  await page.context().close()

  await must(club.database.from('young_artist_entries').update({ publicity_consent: 'disagree' }).eq('id', ann?.id).select())
  expect((await visitor.download(picture)).error).not.toBeNull()
  await expect(async () => {
    const gone = await plain(browser, club, '/results')
    await expect(gone.locator('body')).not.toContainText('Ann Alder', { timeout: 1000 })
    await gone.context().close()
  }).toPass()
  await office.reload()
  await expect(office.getByRole('row', { name: /Not shown/ })).toBeVisible()
})
