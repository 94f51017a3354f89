/** On a phone, lists begin on the first screen and take little space; on a wide screen they use the width. */
import type { Locator } from '@playwright/test'
import { add, expect, judgesPage, must, test, type Club } from '../support/club.ts'
import { artist, musician, nomination, photographer } from '../support/entries.ts'

async function season(club: Club) {
  const [school] = await add(club, 'schools', [{ name: 'Ashton Academy', location: 'Gourock' }])
  const [department] = await add(club, 'departments', { name: 'Art', school_id: school?.id })
  await add(club, 'contacts', {
    name: 'Morag Muir',
    department_id: department?.id,
    position: 'Head of Art',
    email: 'muir@example.org',
    phone: '01475 630002',
    notes: 'Rings back in the afternoon.',
  })
  await add(club, 'young_citizen_nominations', { ...nomination, school_id: school?.id })
  await add(club, 'young_musician_entries', { ...musician, school_id: school?.id })
  await add(club, 'young_photographer_entries', { ...photographer, school_id: school?.id })
  await add(club, 'young_artist_entries', { ...artist, school_id: school?.id, senior_ranking: 1, category: 'Senior', publicity_consent: 'agree' })
  await must(club.asAdmin.rpc('take_results', { since: '-infinity', until: 'infinity', pictures: false }))
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
  await add(club, 'judges', { name: 'Fergus Blair' })
  // If the event had no date, the season would show a request for the date above the summary.
  await add(club, 'seasons', { name: '2099', event_on: '2099-11-12' })
  await add(club, 'event_checklist_items', [
    { item_name: 'Order the trophies', category: 'Prizes', due_date: '2026-10-14', notes: 'Ask the engraver first, who is slow in October' },
    { item_name: 'Book the arts centre for the evening of the awards', is_completed: true },
  ])
}

const firstRows: [tab: string, row: string | RegExp][] = [
  ['summary', 'Ashton Academy'],
  ['citizen', 'Niamh Docherty'],
  ['musician', 'Rory Sinclair'],
  ['photographer', 'Struan Keith'],
  ['artist', 'Isla McPhail'],
  ['contacts', 'Morag Muir'],
  ['contacts&part=departments', /^Art$/],
  ['contacts&part=schools', 'Ashton Academy'],
  ['judges', 'Fergus Blair'],
  ['checklist', 'Order the trophies'],
  ['guests', 'Priya Menon'],
  ['website', 'Nominations open'],
  ['website&part=events', 'Youth Awards'],
  ['website&part=speakers', '14 August 2025'],
  ['website&part=winners', /^artist \d{4}$/],
  ['website&part=results', 'Isla McPhail'],
  ['website&part=partners', 'Sample Chandlers Ltd (made up)'],
  ['website&part=chapters', '1925: A club is founded'],
  ['website&part=figures', '1.2 million'],
  ['website&part=corporate', 'One membership, several people'],
  ['people', /^secretary@club\.example\.org/],
]

test('the first row of every list is on the first screen of a phone', async ({ office, club }) => {
  test.slow()
  await season(club)
  await office.setViewportSize({ width: 360, height: 740 })
  for (const [tab, row] of firstRows) {
    await office.goto(`/admin?tab=${tab}`)
    const name = office.getByRole('tabpanel').getByText(row).locator('visible=true').first()
    await expect(name).toBeVisible({ timeout: 60_000 })
    await expect(office.getByText('Loading...')).toHaveCount(0)
    const bottom = () => name.evaluate((element) => Math.round(element.getBoundingClientRect().bottom + scrollY))
    // A notice about a slow connection, which moves the list down, disappears after a moment.
    await expect.configure({ soft: true }).poll(bottom, { message: `${tab}: end of ${row}` }).toBeLessThanOrEqual(740)
  }
})

test('items of the checklist are rows of at most 72 pixels, with all actions', async ({ office, club }) => {
  await season(club)
  await office.setViewportSize({ width: 360, height: 740 })
  await office.goto('/admin?tab=checklist')
  const rows = office.getByRole('list', { name: 'Event Checklist' }).getByRole('listitem')
  await expect(rows).toHaveCount(2)
  const heights = await rows.evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)))
  expect(Math.max(...heights)).toBeLessThanOrEqual(72)
  const first = rows.filter({ hasText: 'Order the trophies' })
  await expect(first).toContainText('Oct 14, 2026 · Prizes · Ask the engraver')
  await expect(first.getByRole('button')).toHaveCount(2)
  await first.getByRole('checkbox', { name: 'Done: Order the trophies' }).check()
  await expect(office.getByText('(2/2 complete)')).toBeVisible()
})

test('the row of tabs shows that there are more tabs, and scrolls to them', async ({ office }) => {
  await office.setViewportSize({ width: 360, height: 740 })
  await office.goto('/admin')
  const strip = office.getByRole('tablist', { name: 'Dashboard' })
  const arrows = office.locator('[data-above-notices] > button[aria-hidden=true]')
  await expect(arrows).toHaveCount(1)
  await expect(office.getByRole('tab', { name: 'People' })).not.toBeInViewport()
  for (let press = 0; press < 12 && (await strip.evaluate(({ scrollLeft, clientWidth, scrollWidth }) => scrollLeft + clientWidth < scrollWidth - 1)); press++) {
    await arrows.last().click()
    await office.waitForTimeout(500)
  }
  await expect(office.getByRole('tab', { name: 'People' })).toBeInViewport()
  await expect(arrows).toHaveCount(1)
})

test('contacts use the width of a large screen', async ({ office, club }) => {
  await season(club)
  await office.setViewportSize({ width: 1440, height: 900 })
  await office.goto('/admin?tab=contacts')
  const row = office.getByRole('article').filter({ hasText: 'Morag Muir' })
  const left = (part: Locator) => part.evaluate((element) => Math.round(element.getBoundingClientRect().left))
  const columns = await Promise.all(['Morag Muir', 'Head of Art', 'muir@example.org', 'Rings back'].map((words) => left(row.getByText(words).first())))
  expect([...columns].sort((a, b) => a - b)).toEqual(columns)
  expect(new Set(columns).size).toBe(4)
  expect((await row.boundingBox())?.height).toBeLessThan(100)
})

test('a judge’s card contains the name of a person once', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', [artist, { ...artist, entrant_name: 'Adam Nowak', artwork_title: '' }])
  const page = await judgesPage(browser, club)
  for (const name of ['Isla McPhail', 'Adam Nowak']) {
    const card = page.getByRole('listitem').filter({ hasText: name })
    await expect(card).toHaveCount(1)
    // A card outside of the visible area has no text until it is rendered.
    await expect.poll(async () => (await card.innerText()).split(name).length).toBe(2)
  }
  await page.context().close()
})
