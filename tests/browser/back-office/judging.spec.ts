import type { Browser, Page } from '@playwright/test'
import { add, expect, must, test, toast, type Club } from '../support/club.ts'
import { artist, photographer, png } from '../support/entries.ts'

async function judge(browser: Browser, club: Club, isDeaf = false): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: club.url, viewport: { width: 768, height: 1024 } })).newPage()
  // Without the WebSocket, the judge's page gets no live updates and shows the result of its last request.
  if (isDeaf) await page.routeWebSocket(/\/realtime\/v1\//, () => undefined)
  await page.goto('/judging')
  await page.getByLabel('Enter judging password').fill(club.judgingPassword)
  await page.getByRole('button', { name: 'Access Judging' }).click()
  await expect(toast(page, 'Welcome to the judging portal')).toContainText('Access granted')
  return page
}

function card(page: Page, title: string) {
  return page.getByRole('listitem').filter({ hasText: title })
}

test('the password page: no input, wrong password, failed check', async ({ page, club }) => {
  await page.goto('/judging')
  const enter = page.getByRole('button', { name: 'Access Judging' })
  await expect(enter).toBeDisabled()
  await page.getByLabel('Enter judging password').fill('not the password')
  await enter.click()
  await expect(toast(page, 'Incorrect password')).toContainText('Access denied')
  await page.route('**/functions/v1/validate-judging-password', (route) => route.fulfill({ status: 500, json: {} }))
  await enter.click()
  await expect(toast(page, 'Failed to validate password')).toBeVisible()
  await page.unroute('**/functions/v1/validate-judging-password')
  await page.getByLabel('Enter judging password').fill(club.judgingPassword)
  await enter.click()
  await expect(page.getByRole('heading', { name: 'Entry Totals' })).toBeVisible()
})

test('totals, sections, empty sections, and logging out', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', [
    artist,
    { ...artist, category: 'intermediate', entrant_name: 'Adam Nowak' },
    { ...artist, category: 'Junior', entrant_name: 'Too Young' },
  ])
  await add(club, 'young_photographer_entries', photographer)
  const page = await judge(browser, club)
  const total = (name: string) => page.locator('dl > div').filter({ hasText: name }).locator('dd')
  await expect(total('Artist - Intermediate')).toHaveText('2')
  await expect(total('Artist - Senior')).toHaveText('0')
  await expect(total('Photographer - Intermediate')).toHaveText('0')
  await expect(total('Photographer - Senior')).toHaveText('1')
  await expect(card(page, 'Isla McPhail')).toContainText('N/A')
  await expect(card(page, 'Isla McPhail')).toContainText('No images uploaded')
  await expect(page.getByText('Too Young')).toHaveCount(0)
  await expect(page.getByText('No entries found for this category')).toHaveCount(1)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Entry Totals' })).toBeVisible()
  await page.getByRole('tab', { name: 'Young Photographer' }).click()
  await expect(card(page, 'Struan Keith')).toContainText('Phone camera')
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.reload()
  await expect(page.getByLabel('Enter judging password')).toBeVisible()
  await page.context().close()
})

test('a work without a title has the entrant’s name as heading', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', { ...artist, artwork_title: '' })
  const page = await judge(browser, club)
  await expect(page.getByRole('heading', { name: 'The work of Isla McPhail' })).toBeVisible()
  await page.context().close()
})

test('a card whose picture is missing shows this, and can still be judged', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', { ...artist, uploaded_files: ['artist/isla/1760000000009-gone.png'] })
  const page = await judge(browser, club)
  const work = card(page, artist.artwork_title)
  await expect(work).toContainText('This picture could not be shown')
  await expect(work.getByRole('button', { name: /full screen/i })).toHaveCount(0)
  await work.getByRole('button', { name: '1st Place' }).click()
  await expect(toast(page, 'Ranking updated')).toBeVisible()
  await page.context().close()
})

test('places: given, changed, removed, and saved in the right columns', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', [artist, { ...artist, category: 'Senior', entrant_name: 'Orla Kerr', artwork_title: 'Last boat' }])
  const page = await judge(browser, club)
  const rankings = () => must(club.database.from('young_artist_entries').select('junior_ranking, senior_ranking').order('entrant_name'))
  await card(page, 'Isla McPhail').getByRole('button', { name: '1st Place' }).click()
  await expect(toast(page, 'The ranking has been saved successfully')).toContainText('Ranking updated')
  await expect(card(page, 'Isla McPhail').getByRole('button', { name: '1st Place' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('1 of 1 entries placed · places given: 1st')).toBeVisible()
  expect(await rankings()).toEqual([{ junior_ranking: 1, senior_ranking: null }, { junior_ranking: null, senior_ranking: null }])
  await card(page, 'Isla McPhail').getByRole('button', { name: '2nd Place' }).click()
  await expect(card(page, 'Isla McPhail').getByRole('button', { name: '2nd Place' })).toHaveAttribute('aria-pressed', 'true')
  await card(page, 'Orla Kerr').getByRole('button', { name: '3rd Place' }).click()
  await expect(card(page, 'Orla Kerr').getByRole('button', { name: '3rd Place' })).toHaveAttribute('aria-pressed', 'true')
  expect(await rankings()).toEqual([{ junior_ranking: 2, senior_ranking: null }, { junior_ranking: null, senior_ranking: 3 }])
  await card(page, 'Isla McPhail').getByRole('button', { name: '2nd Place' }).click()
  await expect(card(page, 'Isla McPhail').getByRole('button', { name: '2nd Place' })).toHaveAttribute('aria-pressed', 'false')
  expect((await rankings())[0]).toEqual({ junior_ranking: null, senior_ranking: null })
  await page.context().close()
})

test('a place that cannot be saved is reported', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', artist)
  const page = await judge(browser, club)
  await page.route('**/rest/v1/young_artist_entries*', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 500, json: { message: 'no luck' } }) : route.continue(),
  )
  await card(page, 'Isla McPhail').getByRole('button', { name: '1st Place' }).click()
  await expect(toast(page, 'Failed to update ranking')).toBeVisible()
  await expect(card(page, 'Isla McPhail').getByRole('button', { name: '1st Place' })).toHaveAttribute('aria-pressed', 'false')
  await page.context().close()
})

test('two judges: a place cannot replace one that the judge has not seen; two entries with the same place are both marked', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', [artist, { ...artist, entrant_name: 'Grace Boyle', artwork_title: 'Rowan' }])
  const first = await judge(browser, club)
  const second = await judge(browser, club, true)
  await expect(card(second, 'Isla McPhail')).toBeVisible()
  await card(first, 'Isla McPhail').getByRole('button', { name: '1st Place' }).click()
  await expect(toast(first, 'Ranking updated')).toBeVisible()
  await card(second, 'Isla McPhail').getByRole('button', { name: '3rd Place' }).click()
  await expect(toast(second, 'Another judge has just placed this entry')).toBeVisible()
  await expect(card(second, 'Isla McPhail').getByRole('button', { name: '1st Place' })).toHaveAttribute('aria-pressed', 'true')
  await card(second, 'Grace Boyle').getByRole('button', { name: '1st Place' }).click()
  await expect(second.getByText('2 entries hold 1st Place.')).toBeVisible()
  await expect(second.getByText('Another entry holds this place as well.')).toHaveCount(2)
  // The other judge sees the change without a reload.
  await expect(first.getByText('2 entries hold 1st Place.')).toBeVisible({ timeout: 20_000 })
  await first.context().close()
  await second.context().close()
})

test('pictures in full screen by keyboard: next, zoom, place, side by side; and the note that the judge knows the entrant', async ({ browser, club }) => {
  const paths = ['artist/isla/1760000000001-one.png', 'artist/grace/1760000000002-two.png']
  for (const path of paths) {
    await must(club.database.storage.from('youth-awards-submissions').upload(path, png, { contentType: 'image/png', upsert: true }))
  }
  // The entries are added one after the other, because the portal sorts them by time, the oldest first.
  await add(club, 'young_artist_entries', { ...artist, uploaded_files: [paths[0]] })
  await add(club, 'young_artist_entries', { ...artist, entrant_name: 'Grace Boyle', artwork_title: 'Rowan', uploaded_files: [paths[1]] })
  const page = await judge(browser, club)
  await page.getByRole('button', { name: 'Open Daisies above the pool full screen' }).press('Enter')
  await expect(page.getByRole('dialog', { name: /Daisies above the pool · 1 of 2/ })).toBeVisible()
  await expect(page.getByRole('img', { name: 'Daisies above the pool by Isla McPhail' })).toBeVisible()
  await page.keyboard.press('PageDown')
  await expect(page.getByRole('dialog', { name: /Rowan · 2 of 2/ })).toBeVisible()
  await page.keyboard.press('2')
  await expect(toast(page, 'Ranking updated')).toBeVisible()
  await expect(page.getByRole('dialog').getByRole('button', { name: '2nd Place' })).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'Side by side' }).click()
  await expect(page.getByRole('dialog').getByRole('img')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await card(page, 'Grace Boyle').getByRole('checkbox', { name: 'I know this entrant' }).click()
  await expect
    .poll(async () => must(club.database.from('young_artist_entries').select('ranking_conflict').eq('entrant_name', 'Grace Boyle')))
    .toEqual([{ ranking_conflict: true }])
  await page.context().close()
})

test('judges are signed out when an admin changes the password', async ({ browser, club, office }) => {
  await add(club, 'young_artist_entries', artist)
  const page = await judge(browser, club)
  await expect(card(page, 'Isla McPhail')).toBeVisible()
  await office.goto('/admin?tab=judges')
  await office.getByRole('button', { name: 'Judging password' }).click()
  await office.getByLabel('New password').fill('another lamp is lit')
  await office.getByRole('button', { name: 'Set password' }).click()
  await expect(toast(office, 'The judging password has been changed')).toBeVisible()
  await expect(card(page, 'Isla McPhail')).toHaveCount(0, { timeout: 20_000 })
  await must(club.database.functions.invoke('set-judging-password', { body: { password: club.judgingPassword } }))
  await page.context().close()
})
