/**
 * An admin edits the website's content of a season in the back-office, previews it and publishes it. Afterwards the pages contain the content before
 * any script runs.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startProject } from '../../support/program.mjs'
import { expect, must, signedIn, test, toast } from '../support/club.ts'
import { openChanges, openPart, plain, publish } from '../support/website.ts'

const root = resolve(import.meta.dirname, '../../..')

test('prerendered pages show what the database has published', async () => {
  const built = JSON.parse(readFileSync(join(root, 'web/club/src/content/first-content.json'), 'utf8')) as object
  // This test starts its own server, because other tests publish content on the shared server.
  const server = await startProject({})
  const page = await (await fetch(`${server.url}/events`)).text()
  await server.remove()
  expect(JSON.parse(/<script type="application\/json" id="content">(.*?)<\/script>/s.exec(page)?.[1] ?? '')).toEqual(built)
})

test('next week’s speaker is changed: refused, previewed, published, and shown in the page without JavaScript', async ({ office, club, browser }) => {
  await openPart(office, 'speakers')
  await expect(office.getByText(/Visitors see everything\. Published on/)).toBeVisible()
  await expect(office.getByRole('button', { name: 'Publish' })).toBeDisabled()
  await office.getByRole('button', { name: 'Edit 21 August 2025' }).click()
  const form = office.getByRole('dialog', { name: 'Edit Evening' })
  await form.getByLabel('Date').fill('')
  await form.getByRole('button', { name: 'Save Evening' }).click()
  await expect(form).toContainText('Date is missing')
  await form.getByLabel('Date').fill('2025-08-21')
  await form.getByLabel('Speaker').fill('Tides & <moon>')
  await form.getByRole('button', { name: 'Save Evening' }).click()
  await expect(toast(office, 'Evening updated successfully')).toBeVisible()
  await expect(office.getByText('You have changes that visitors do not see yet.')).toBeVisible()

  const before = await plain(browser, club, '/events')
  await expect(before.getByRole('row', { name: /21 August 2025/ })).toContainText('A lighthouse keeper’s family')
  const opened = office.context().waitForEvent('page')
  await office.getByRole('link', { name: 'Preview' }).click()
  const preview = await opened
  await expect(preview.getByText('Preview: visitors see this after you publish it.')).toBeVisible()
  await expect(preview.getByRole('row', { name: /21 August 2025/ })).toContainText('Tides & <moon>')

  await publish(office)
  await expect(async () => {
    const after = await plain(browser, club, '/events')
    await expect(after.getByRole('row', { name: /21 August 2025/ })).toContainText('Tides & <moon>', { timeout: 1000 })
    await after.context().close()
  }).toPass()
})

test('a past event leaves the lists automatically; the page is hydrated unchanged', async ({ office, club, browser, page }) => {
  const yesterday = new Date(Date.now() - 36 * 3600 * 1000).toISOString().slice(0, 10)
  await openPart(office, 'events')
  await office.getByRole('button', { name: 'Edit 50th Anniversary' }).click()
  const form = office.getByRole('dialog', { name: 'Edit Event' })
  await form.getByLabel('Last day').fill(yesterday)
  await form.getByRole('button', { name: 'Save Event' }).click()
  await expect(toast(office, 'Event updated successfully')).toBeVisible()
  await publish(office)
  await expect(async () => {
    const home = await plain(browser, club, '/')
    await expect(home.locator('#anniversary-cruise')).toHaveCount(0, { timeout: 1000 })
    await expect(home.locator('#weekly-guest-speakers')).not.toHaveCount(0)
    await home.context().close()
  }).toPass()
  const problems: string[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => document.querySelector('ol.band > li')?.setAttribute('data-sent', ''))
  })
  await page.goto('/events')
  await page.getByRole('button', { name: /View details ?: Weekly/ }).click()
  await expect(page.getByRole('dialog', { name: 'Weekly Guest Speakers' })).toBeVisible()
  // React reused the elements that the server sent instead of creating them again.
  await expect(page.locator('li[data-sent]')).toHaveCount(1)
  expect(problems).toEqual([])
})

test('the date of an event sets the texts of the website; edited texts are kept', async ({ office, club }) => {
  const stored = async (slug: string) =>
    (await must(club.database.from('site_events').select('last_day, date_text, board_large, board_small').eq('slug', slug)))[0]
  const weekly = await stored('weekly-guest-speakers')
  await openPart(office, 'events')
  await office.getByRole('button', { name: 'Add Event' }).click()
  const form = office.getByRole('dialog')
  await form.getByLabel('Title').fill('Beach clean')
  await form.getByLabel('Name in links').fill('beach-clean')
  await form.getByLabel('Time').fill('10 AM')
  await form.getByLabel('Location').fill('The shore')
  await form.getByLabel('Description', { exact: true }).fill('Bring gloves.')
  await form.getByLabel('Kind').selectOption('Special Event')
  await expect(form.getByLabel('Date in words')).toHaveCount(0)
  await form.getByRole('button', { name: 'Add Event' }).click()
  await expect(form).toContainText('Please give the date')
  await form.getByLabel('Date', { exact: true }).fill('2099-06-02')
  await expect(form).toContainText('The website writes “2nd June 2099”')
  await expect(form).not.toContainText('Please give the date')
  await form.getByRole('button', { name: 'Add Event' }).click()
  await expect(toast(office, 'Event added successfully')).toBeVisible()
  expect(await stored('beach-clean')).toEqual({ last_day: '2099-06-02', date_text: '2nd June 2099', board_large: '2', board_small: 'June 2099' })

  await office.getByRole('button', { name: 'Edit Beach clean' }).click()
  await form.getByRole('button', { name: 'It recurs, or takes several days' }).click()
  await form.getByLabel('Date in words').fill('2nd and 3rd June')
  await form.getByLabel('Last day').fill('2099-06-03')
  await form.getByRole('button', { name: 'Save Event' }).click()
  await expect(toast(office, 'Event updated successfully')).toBeVisible()
  expect(await stored('beach-clean')).toEqual({ last_day: '2099-06-03', date_text: '2nd and 3rd June', board_large: '2', board_small: 'June 2099' })

  await office.getByRole('button', { name: 'Edit Weekly Guest Speakers' }).click()
  await expect(form.getByLabel('Date in words')).toHaveValue('Every Thursday')
  await form.getByLabel('Time').fill('7:15 PM')
  await form.getByRole('button', { name: 'Save Event' }).click()
  await expect(form).toHaveCount(0)
  expect(await stored('weekly-guest-speakers')).toEqual(weekly)
  await must(club.database.from('site_events').delete().eq('slug', 'beach-clean').select())
  await must(club.database.from('site_events').update({ time_text: '7:00 PM' }).eq('slug', 'weekly-guest-speakers').select())
})

test('a date of the season is on every page that shows it, as soon as the season is saved', async ({ office, club, browser }) => {
  await openPart(office, 'season')
  const dates = office.getByRole('region', { name: 'Dates of the season' })
  await expect(dates).toContainText('They are those of the rules.')
  await expect(dates).toContainText('31st October')
  await expect(office.getByRole('button', { name: 'Edit Deadline' })).toHaveCount(0)
  await dates.getByRole('button', { name: 'Add Season' }).click()
  const form = office.getByRole('dialog', { name: 'Add Season' })
  await form.getByLabel('Season name').fill('2099')
  await form.getByLabel('Last day for entries').fill('2099-11-07')
  await form.getByLabel('Date of the event').fill('2099-11-20')
  await form.getByLabel('Time of the event').fill('7 PM')
  await form.getByLabel('Ages are counted on').fill('2099-09-01')
  await form.getByRole('button', { name: 'Add Season' }).click()
  await expect(toast(office, 'Season added successfully')).toBeVisible()
  await expect(dates).toContainText('7th November')
  await expect(dates).toContainText('20th November, 7 PM')
  await expect(dates.getByRole('button', { name: 'Edit the season 2099' })).toBeVisible()
  await expect(office.getByText(/Visitors see everything\. Published on/)).toBeVisible()
  await expect(async () => {
    for (const path of ['/', '/youth-awards', '/young-citizen', '/young-artist']) {
      const page = await plain(browser, club, path)
      await expect(page.locator('main')).toContainText('7th November', { timeout: 1000 })
      await expect(page.locator('main')).not.toContainText('31st October')
      await page.context().close()
    }
  }).toPass()
})

for (const [part, path] of [
  ['season', '/youth-awards'],
  ['events', '/events'],
  ['speakers', '/events#speakers'],
  ['winners', '/young-citizen'],
  ['results', '/results'],
  ['partners', '/corporate-membership'],
  ['chapters', '/club-history'],
  ['figures', '/about'],
  ['corporate', '/corporate-membership'],
] as const) {
  test(`the preview of ${part} opens the page that shows them`, async ({ office }) => {
    await openPart(office, part)
    const opened = office.context().waitForEvent('page')
    await office.getByRole('link', { name: 'Preview' }).click()
    const preview = await opened
    await expect(preview.getByText('Preview: visitors see this after you publish it.')).toBeVisible()
    const { pathname, hash, search } = new URL(preview.url())
    expect([pathname + hash, search]).toEqual([path, '?preview'])
    await preview.close()
  })
}

test('items of lists are added and removed, with undo', async ({ office, club }) => {
  await openPart(office, 'partners')
  await office.getByRole('button', { name: 'Add Partner', exact: true }).click()
  const form = office.getByRole('dialog', { name: 'Add Partner', exact: true })
  await form.getByLabel('Name').fill('A Bakery')
  await form.getByLabel('Words').fill('Bread for the awards night.')
  await form.getByRole('button', { name: 'Add Partner', exact: true }).click()
  await expect(toast(office, 'Partner added successfully')).toBeVisible()
  await office.getByRole('button', { name: 'Delete A Bakery' }).click()
  await expect(toast(office, 'Partner deleted successfully')).toBeVisible()
  await office.getByRole('button', { name: 'Undo' }).click()
  await expect(toast(office, 'It is back on the list')).toBeVisible()
  expect(await must(club.database.from('site_partners').select('name').eq('name', 'A Bakery'))).toHaveLength(1)
})

test('history, figures and corporate membership are edited as lists, and shown on the pages', async ({ office, club, browser, page }) => {
  const form = office.getByRole('dialog')
  await openPart(office, 'chapters')
  await office.getByRole('button', { name: /^Edit 1976/ }).click()
  await form.getByLabel('Title').fill('The year of <the> pool')
  await form.getByRole('button', { name: 'Save Chapter' }).click()
  await expect(toast(office, 'Chapter updated successfully')).toBeVisible()
  await openPart(office, 'figures')
  await office.getByRole('button', { name: 'Add Figure' }).click()
  await form.getByRole('button', { name: 'Add Figure' }).click()
  await expect(form).toContainText('Page is missing')
  await form.getByLabel('Page').selectOption('history')
  await form.getByLabel('Figure', { exact: true }).fill('1,234')
  await form.getByLabel('What it counts').fill('cups of tea')
  await form.getByRole('button', { name: 'Add Figure' }).click()
  await expect(toast(office, 'Figure added successfully')).toBeVisible()
  await openPart(office, 'corporate')
  await office.getByRole('button', { name: 'Edit Fundraising' }).click()
  await form.getByLabel('Words').fill('Nine thousand pounds.')
  await form.getByLabel('Picture').selectOption('ferry')
  await form.getByRole('button', { name: 'Save Item' }).click()
  await expect(toast(office, 'Item updated successfully')).toBeVisible()
  await publish(office)
  await expect(async () => {
    const history = await plain(browser, club, '/club-history')
    await expect(history.getByRole('heading', { name: 'The year of <the> pool' })).toBeVisible({ timeout: 1000 })
    await expect(history.locator('main')).toContainText('cups of tea')
    await history.context().close()
  }).toPass()
  const drawn = await plain(browser, club, '/corporate-membership')
  const rows = drawn.getByRole('region', { name: 'Projects to be part of' }).getByRole('listitem')
  await expect(rows).toHaveCount(3)
  await expect(rows.filter({ hasText: 'Nine thousand pounds.' }).locator('svg')).toHaveCount(1)
  await drawn.context().close()
  // React hydrates the pages without a mismatch.
  const problems: string[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  for (const path of ['/club-history', '/about', '/corporate-membership']) {
    await page.goto(path)
    await page.waitForFunction(() => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__reactFiber')))
  }
  expect(problems).toEqual([])
})

test('only an admin sees the preview', async ({ browser, club }) => {
  await must(club.database.from('site_texts').update({ value: 'A secret theme' }).eq('name', 'theme').select())
  const page = await signedIn(browser, club, club.member)
  await page.goto('/young-artist?preview')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('main')).not.toContainText('A secret theme')
  await expect(page.getByText('Preview:')).toHaveCount(0)
  await page.context().close()
})

test('before publishing, the page lists the changes; publishing a speaker changes no event', async ({ office, club, browser }) => {
  const before = await plain(browser, club, '/events')
  const events = await before.locator('ol.band > li').count()
  await before.context().close()
  await must(club.database.from('site_speakers').update({ speaker: 'The tides' }).eq('held_on', '2025-08-28').select())
  await must(club.database.from('site_partners').insert({ name: 'A Brewery', text: 'Beer.' }).select())
  await openPart(office, 'speakers')
  const list = await openChanges(office)
  await expect(list).toContainText('Events, speakersChanges: 28 August 2025')
  await expect(list).toContainText('Corporate membershipAppears: A Brewery')
  await expect(list).not.toContainText('Disappears')
  await publish(office)
  await expect(list).toHaveCount(0)
  await expect(async () => {
    const after = await plain(browser, club, '/events')
    await expect(after.getByRole('row', { name: /28 August 2025/ })).toContainText('The tides', { timeout: 1000 })
    await after.context().close()
  }).toPass()
  const after = await plain(browser, club, '/events')
  await expect(after.locator('ol.band > li')).toHaveCount(events)
  await after.context().close()
})

test('a first change moves no button of the lists; a line counts the items that disappear', async ({ office, club }) => {
  const [brewery] = await must(club.database.from('site_partners').insert({ name: 'A Brewery', text: 'Beer.' }).select())
  await openPart(office, 'partners')
  await publish(office)
  await expect(office.getByText('Publishing changes nothing on the pages.')).toBeVisible()
  const button = office.getByRole('button', { name: 'Add Partner', exact: true })
  const before = await button.boundingBox()
  await must(club.database.from('site_partners').delete().eq('id', brewery?.id).select())
  await office.reload()
  await expect(office.getByText('What publishing will do (1 change, 1 disappears)')).toBeVisible()
  expect(await button.boundingBox()).toEqual(before)
})

test('a past event is the last one on the events page and is marked as past', async ({ office, club, browser, page }) => {
  const yesterday = new Date(Date.now() - 36 * 3600 * 1000).toISOString().slice(0, 10)
  const [shown] = await must(club.database.from('site_events').insert({ slug: 'summer-fair', title: 'Summer fair', date_text: '1st July', board_large: '1', board_small: 'July', time_text: 'Noon', location: 'The green', description: 'Cakes.', kind: 'Special Event', rsvp_subject: 'RSVP', position: 0 }).select())
  await openPart(office, 'events')
  await publish(office)
  await must(club.database.from('site_events').update({ last_day: yesterday }).eq('id', shown?.id).select())
  await office.reload()
  const list = await openChanges(office)
  await expect(list).toContainText('Changes: Summer fair: now says “Past”')
  await expect(office.getByRole('row', { name: /Summer fair/ })).toContainText('(past)')
  await publish(office)
  await expect(async () => {
    const events = await plain(browser, club, '/events')
    await expect(events.locator('#summer-fair').getByText('Past', { exact: true })).toBeVisible({ timeout: 1000 })
    // Before this publication, the event was the first in the list.
    await expect(events.locator('ol.band > li').first().getByText('Past', { exact: true })).toHaveCount(0)
    await events.context().close()
  }).toPass()
  await page.goto('/events')
  const fair = page.locator('#summer-fair')
  await expect(fair.getByRole('link', { name: /RSVP/ })).toHaveCount(0)
  await fair.getByRole('button', { name: /View details/ }).click()
  await expect(page.getByRole('dialog', { name: 'Summer fair' })).toContainText('Past: 1st July')
  await must(club.database.from('site_events').delete().eq('id', shown?.id).select())
})
