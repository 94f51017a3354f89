import type { Browser, Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { add, expect, must, test, toast, type Club } from '../support/club.ts'
import { artist, musician, nomination, photographer, png } from '../support/entries.ts'

async function judge(club: Club, name: string, categories: string[]) {
  const [row] = await add(club, 'judges', { name })
  await must(club.database.from('judge_categories').insert(categories.map((category) => ({ judge_id: row?.id, category }))))
  return row?.id ?? ''
}

/** Creates a link for a judge, as an administrator does, and returns it. */
async function linkOf(club: Club, id: string): Promise<string> {
  return `/judging#judge=${await must(club.asAdmin.rpc('make_judge_link', { judge: id }))}`
}

async function openPage(browser: Browser, club: Club, link: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: club.url, viewport: { width: 360, height: 800 }, colorScheme })).newPage()
  await page.goto(link)
  return page
}

function card(page: Page, title: string) {
  return page.getByRole('listitem').filter({ hasText: title })
}

async function expectNoSidewaysScroll(page: Page) {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
}

test('a link is created, copied, replaced and revoked', async ({ office, club, browser }) => {
  const id = await judge(club, 'Ishbel Cairns', ['artist'])
  await office.goto('/admin?tab=judges')
  await office.getByRole('button', { name: 'Link of Ishbel Cairns: No link' }).click()
  await office.getByRole('button', { name: 'Make a link' }).click()
  const shown = office.getByRole('dialog', { name: 'The link of Ishbel Cairns' })
  const address = await shown.getByLabel('Link', { exact: true }).inputValue()
  expect(address).toMatch(new RegExp(`^${club.url}/judging#judge=[0-9a-f]{64}$`))
  await office.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await shown.getByRole('button', { name: 'Copy link' }).click()
  await expect(shown.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await office.evaluate(() => navigator.clipboard.readText())).toBe(address)
  await shown.getByRole('button', { name: 'Done' }).click()

  const page = await openPage(browser, club, address)
  await expect(page.getByText('You judge as Ishbel Cairns')).toBeVisible()
  await expect(page).toHaveURL(`${club.url}/judging`)
  await page.reload()
  await expect(page.getByText('You judge as Ishbel Cairns')).toBeVisible()
  await office.getByRole('button', { name: 'Link of Ishbel Cairns: Opened' }).click()
  await office.getByRole('button', { name: 'Revoke' }).click()
  await expect(toast(office, 'The link opens nothing any more')).toBeVisible()
  await expect(office.getByRole('button', { name: 'Link of Ishbel Cairns: Link revoked' })).toBeVisible()

  // Pages that were opened with the link close at once, and the link no longer works.
  await expect(toast(page, 'Your link has ended')).toBeVisible()
  await expect(page.getByLabel('Enter judging password')).toBeVisible()
  await page.goto(address)
  await expect(page.getByText('This link has ended. Please ask the club for a new one.')).toBeVisible()
  // Opens a new link in the same page.
  await page.goto(await linkOf(club, id))
  await expect(page.getByText('You judge as Ishbel Cairns')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.reload()
  await expect(page.getByLabel('Enter judging password')).toBeVisible()
  await page.context().close()
})

test('a judge sees changes at once, and the page closes when the link ends', async ({ browser, club }) => {
  const id = await judge(club, 'Live Judge', ['artist'])
  const link = await linkOf(club, id)
  // The page's own polling is too rare for this test: two polls are half a minute apart.
  const page = await (await browser.newContext({ baseURL: club.url })).newPage()
  const joined = new Promise<void>((done) => {
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        if (/judge:.*phx_reply.*"ok"/.test(String(payload))) done()
      })
    })
  })
  await page.goto(link)
  await joined
  await expect(page.getByText('You judge as Live Judge')).toBeVisible()
  const soon = { timeout: 5000 }
  await add(club, 'young_artist_entries', artist)
  await expect(card(page, artist.artwork_title)).toBeVisible(soon)
  await must(club.database.from('judge_categories').insert({ judge_id: id, category: 'photography' }))
  await expect(page.getByRole('tab', { name: 'Young Photographer' })).toBeVisible(soon)
  await must(club.asAdmin.rpc('revoke_judge_link', { judge: id }))
  await expect(toast(page, 'Your link has ended')).toBeVisible(soon)
  await expect(page.getByLabel('Enter judging password')).toBeVisible()
  await expect(card(page, artist.artwork_title)).toHaveCount(0)
  await page.context().close()
})

test('a failed check of a link is repeated', async ({ browser, club }) => {
  const link = await linkOf(club, await judge(club, 'Ishbel Cairns', ['artist']))
  const page = await (await browser.newContext({ baseURL: club.url })).newPage()
  await page.route('**/functions/v1/open-judge-link', (route) => route.abort())
  await page.goto(link)
  await expect(page.getByText('Your link could not be opened')).toBeVisible()
  await page.unroute('**/functions/v1/open-judge-link')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('No entries found for this category').first()).toBeVisible()
  await page.context().close()
})

test('two judges give places of their own, finish, and an administrator settles the joint result', async ({ office, browser, club }) => {
  await add(club, 'young_artist_entries', artist)
  await add(club, 'young_artist_entries', { ...artist, entrant_name: 'Grace Boyle', artwork_title: 'Rowan' })
  const first = await openPage(browser, club, await linkOf(club, await judge(club, 'Ann Judge', ['artist'])))
  const second = await openPage(browser, club, await linkOf(club, await judge(club, 'Ben Judge', ['artist', 'photography'])), 'dark')
  await card(first, 'Daisies').getByRole('button', { name: '1st Place' }).click()
  await expect(card(first, 'Daisies').getByRole('button', { name: '1st Place' })).toHaveAttribute('aria-pressed', 'true')
  await card(first, 'Daisies').getByRole('checkbox', { name: 'I know this entrant' }).click()
  await expect(card(first, 'Daisies').getByRole('checkbox', { name: 'I know this entrant' })).toBeChecked()
  await second.getByRole('tab', { name: 'Young Artist' }).click()
  await card(second, 'Rowan').getByRole('button', { name: '1st Place' }).click()
  await card(second, 'Daisies').getByRole('button', { name: '2nd Place' }).click()
  await expect(card(second, 'Daisies').getByRole('button', { name: '2nd Place' })).toHaveAttribute('aria-pressed', 'true')
  // Judges do not see each other's places.
  await first.reload()
  await expect(first.getByText('1 of 2 entries placed · places given: 1st')).toBeVisible()
  await expect(card(first, 'Rowan').getByRole('button', { name: '1st Place' })).toHaveAttribute('aria-pressed', 'false')

  await first.getByRole('button', { name: 'I have finished Intermediate' }).click()
  await expect(first.getByText(/^You finished Intermediate on/)).toBeVisible()
  await card(first, 'Rowan').getByRole('button', { name: '2nd Place' }).click({ force: true })
  await expect(card(first, 'Rowan').getByRole('button', { name: '2nd Place' })).toHaveAttribute('aria-pressed', 'false')
  for (const page of [first, second]) {
    expect(await violations(page)).toEqual([])
    await expectNoSidewaysScroll(page)
  }

  await office.goto('/admin?tab=judges')
  await expect(office.getByRole('button', { name: 'Link of Ann Judge: Finished 1 of 1' })).toBeVisible()
  await expect(office.getByText('Finished: 1 of 2 judges. Not finished: Ben Judge.')).toBeVisible()
  const rows = office.getByRole('table', { name: 'Joint result: Artist - Intermediate' }).getByRole('row')
  await expect(rows.nth(1)).toContainText('Isla McPhail')
  await expect(rows.nth(1)).toContainText('Known to Ann Judge')
  await expect(rows.nth(1)).toContainText('1st place2nd place5')
  await expect(rows.nth(2)).toContainText('Grace Boyle')
  await expect(office.getByLabel('Place of Isla McPhail')).toHaveValue('1')
  expect(await violations(office)).toEqual([])

  // Meanwhile the other judge continues. The administrator can only settle a result that the page has shown: until the page is updated, it shows
  // the earlier state.
  await office.getByLabel('Place of Grace Boyle').selectOption('3rd place')
  await office.route('**/rest/v1/rpc/joint_result', (route) => route.abort())
  await card(second, 'Daisies').getByRole('button', { name: '3rd Place' }).click()
  await expect(card(second, 'Daisies').getByRole('button', { name: '3rd Place' })).toHaveAttribute('aria-pressed', 'true')
  await office.getByRole('button', { name: 'Settle places' }).click()
  await expect(toast(office, 'Something has changed meanwhile')).toBeVisible()
  const places = () => must(club.database.from('young_artist_entries').select('junior_ranking').order('entrant_name'))
  expect(await places()).toEqual([{ junior_ranking: null }, { junior_ranking: null }])
  await office.unroute('**/rest/v1/rpc/joint_result')
  await office.reload()
  await expect(rows.nth(1)).toContainText('1st place3rd place4')
  await office.getByLabel('Place of Grace Boyle').selectOption('2nd place')
  await office.getByRole('button', { name: 'Settle places' }).click()
  await expect(toast(office, 'The places are settled')).toBeVisible()
  await expect(office.getByText('These places are settled.')).toBeVisible()
  expect(await places()).toEqual([{ junior_ranking: 2 }, { junior_ranking: 1 }])

  await office.setViewportSize({ width: 360, height: 800 })
  await expect(office.getByRole('list', { name: 'Joint result: Artist - Intermediate' })).toBeVisible()
  await expectNoSidewaysScroll(office)
  // A finished category can be opened again.
  await first.getByRole('button', { name: 'Open Intermediate again' }).click()
  await expect(first.getByRole('button', { name: 'I have finished Intermediate' })).toBeVisible()
  await first.context().close()
  await second.context().close()
})

test('scores by criteria', async ({ office, browser, club }) => {
  await add(club, 'young_artist_entries', [artist, { ...artist, entrant_name: 'Grace Boyle', artwork_title: 'Rowan' }])
  const link = await linkOf(club, await judge(club, 'Ann Judge', ['artist']))
  await office.goto('/admin?tab=judges')
  await office.getByRole('button', { name: 'Criteria' }).click()
  const dialog = office.getByRole('dialog', { name: 'Criteria: Young Artist' })
  await expect(dialog).toContainText('No criteria.')
  for (const [name, best] of [['Idea', '10'], ['Skill', '5']] as const) {
    await dialog.getByLabel('Criterion').fill(name)
    await dialog.getByLabel('Best score').fill(best)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByRole('button', { name: `Remove ${name}` })).toBeVisible()
  }
  expect(await violations(office, '[role=dialog]')).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()

  const page = await openPage(browser, club, link)
  await card(page, 'Daisies').getByLabel(/^Idea/).selectOption('7')
  await card(page, 'Daisies').getByLabel(/^Skill/).selectOption('5')
  await expect(card(page, 'Daisies')).toContainText('Total 12 of 15')
  await card(page, 'Rowan').getByLabel(/^Idea/).selectOption('9')
  await expect(card(page, 'Rowan')).toContainText('Total 9 of 15')
  await page.reload()
  await expect(card(page, 'Daisies').getByLabel(/^Idea/)).toHaveValue('7')
  expect(await violations(page)).toEqual([])
  await expectNoSidewaysScroll(page)

  const rows = office.getByRole('table', { name: 'Joint result: Artist - Intermediate' }).getByRole('row')
  await expect(rows.nth(1)).toContainText('score 12')
  await expect(rows.nth(2)).toContainText('score 9')
  // Scores of a removed criterion no longer count.
  await office.getByRole('button', { name: 'Criteria' }).click()
  await dialog.getByRole('button', { name: 'Remove Skill' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(rows.nth(1)).toContainText('Grace Boyle')
  await expect(rows.nth(2)).toContainText('score 7')
  await page.context().close()
})

test('judges hear the recordings and read the nominations of their own categories only', async ({ browser, club }) => {
  const path = 'musician/rory-sinclair/1760000000001-ae-fond-kiss.mp3'
  const later = 'rory-sinclair/1760000000002-encore.mp3'
  const store = (bucket: string, file: string) =>
    must(club.database.storage.from(bucket).upload(file, Buffer.alloc(500), { contentType: 'audio/mpeg', upsert: true }))
  await store('youth-awards-submissions', path)
  await store('music-uploads', later)
  await must(club.database.storage.from('youth-awards-submissions').upload('photographer/struan/1760000000003-a.png', png, { contentType: 'image/png', upsert: true }))
  await add(club, 'young_musician_entries', { ...musician, uploaded_files: [path] })
  await add(club, 'young_citizen_nominations', nomination)
  await add(club, 'young_photographer_entries', photographer)
  const [extra] = await add(club, 'extra_files', { kind: 'music', entrant_name: 'Rory Sinclair', uploaded_files: [later] })
  const page = await openPage(browser, club, await linkOf(club, await judge(club, 'Mia Judge', ['music', 'citizen'])))
  await expect(page.getByRole('tab')).toHaveText(['Young Citizen', 'Young Musician'])
  const nominee = card(page, 'Niamh Docherty')
  await expect(nominee).toContainText('Key achievement: Ran the breakfast club for a winter.')
  await expect(nominee).not.toContainText('Janet Blair')
  await nominee.getByRole('button', { name: '2nd Place' }).click()
  await expect(nominee.getByRole('button', { name: '2nd Place' })).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('tab', { name: 'Young Musician' }).click()
  const piece = card(page, 'Ae Fond Kiss')
  await expect(piece).toContainText('Instrument: Fiddle')
  await expect(piece.locator('audio')).toHaveCount(2)
  for (const source of await piece.locator('audio').evaluateAll((all) => all.map((each) => (each as HTMLAudioElement).src)))
    expect((await page.request.get(source)).status()).toBe(200)
  expect(await violations(page)).toEqual([])
  await expectNoSidewaysScroll(page)
  await must(club.database.from('extra_files').delete().eq('id', extra?.id ?? ''))
  await page.context().close()
})
