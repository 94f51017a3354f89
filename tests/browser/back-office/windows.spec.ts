/** Dialogs and tables with realistic content: long words, lists longer than the window, keyboards. */
import type { Page } from '@playwright/test'
import { add, expect, test, unfold } from '../support/club.ts'
import { artist } from '../support/entries.ts'
import { lane } from '../support/lane.ts'

/** Opens the dialog for the counts of paper entries from the summary. */
async function openCounts(office: Page) {
  await expect(office.getByRole('heading', { level: 1, name: 'Summary' })).toBeVisible()
  await unfold(office)
  await office.getByRole('button', { name: 'Offline submissions' }).click()
}

const word = 'Llanfairpwll'.repeat(17).slice(0, 200)

for (const width of [360, 1440]) {
  test(`a word of 200 letters is wrapped everywhere, ${width} pixels wide`, lane(width === 360), async ({ office, club }) => {
    await office.setViewportSize({ width, height: 800 })
    const [school] = await add(club, 'schools', { name: word, location: word, notes: word })
    const [entry] = await add(club, 'young_artist_entries', [
      { ...artist, entrant_name: word, artwork_title: word, artwork_description: word, school_id: school?.id },
    ])
    await add(club, 'invited_guests', { name: word, organization: word, notes: word })
    await add(club, 'judges', { name: word, notes: word })
    await add(club, 'event_checklist_items', { item_name: word, notes: word })
    await add(club, 'offline_submissions', { school_id: school?.id, category: 'artist', count: 2, notes: word })
    const wide = () =>
      office.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll('[role=dialog], [role=dialog] *')]
          .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && getComputedStyle(element).overflowX !== 'visible')
          .map((element) => `${element.tagName} ${element.className.toString().slice(0, 60)}`),
      )
    for (const tab of ['summary', 'artist', 'contacts&part=schools', 'judges', 'checklist', 'guests']) {
      await office.goto(`/admin?tab=${tab}`)
      await expect(office.getByText(word).first()).toBeVisible()
      expect(await wide(), tab).toEqual([])
    }
    await office.goto(`/admin?tab=artist&entry=${entry?.id}`)
    await expect(office.getByRole('dialog').getByText(word).first()).toBeVisible()
    expect(await wide(), 'the entry').toEqual([])
    // The window is narrower than the columns of the table of counts. Only the table may scroll sideways, and not the page.
    await office.goto('/admin')
    await openCounts(office)
    const dialog = office.getByRole('dialog')
    await expect(dialog.getByRole('cell', { name: word }).first()).toBeVisible()
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(1)
  })
}

test('the paper counts are focused and scrolled by keyboard', async ({ office, club }) => {
  await office.setViewportSize({ width: 360, height: 700 })
  const schools = await add(club, 'schools', Array.from({ length: 12 }, (_, index) => ({ name: `School number ${index}` })))
  await add(club, 'offline_submissions', schools.map(({ id }) => ({ school_id: id, category: 'artist', count: 2, notes: 'Came in an envelope' })))
  await office.goto('/admin')
  await openCounts(office)
  const dialog = office.getByRole('dialog', { name: 'Offline Submissions' })
  const table = dialog.getByRole('table', { name: 'Current offline counts' })
  await expect(table.getByRole('row')).toHaveCount(13)
  const focused = () => table.evaluate((element) => document.activeElement?.contains(element) === true && document.activeElement !== document.body && getComputedStyle(document.activeElement).overflowX !== 'visible')
  for (let step = 0; step < 20 && !(await focused()); step++) await office.keyboard.press('Tab')
  expect(await focused(), 'the frame that scrolls the table takes the focus').toBe(true)
  const scrolled = () => office.evaluate(() => document.activeElement?.scrollLeft ?? 0)
  const hasMore = await office.evaluate(() => (document.activeElement?.scrollWidth ?? 0) > (document.activeElement?.clientWidth ?? 0))
  if (hasMore) {
    await office.keyboard.press('ArrowRight')
    await expect.poll(scrolled).toBeGreaterThan(0)
  }
  await expect(async () => {
    await office.keyboard.press('PageDown')
    await expect(table.getByRole('row').last()).toBeInViewport({ timeout: 300 })
  }).toPass()
})

test('a dialog focuses its first field', async ({ office, club }) => {
  const [school] = await add(club, 'schools', { name: 'Ashton Academy' })
  await add(club, 'departments', { name: 'Art', school_id: school?.id })
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
  const opens: [tab: string, buttons: string[]][] = [
    ['contacts', ['Add Contact']],
    ['contacts&part=departments', ['Add Department']],
    ['contacts&part=schools', ['Add School']],
    ['contacts&part=schools', ['Edit Ashton Academy']],
    ['judges', ['Add Judge']],
    ['judges', ['Judging password']],
    ['checklist', ['Add Item']],
    ['guests', ['Add Guest']],
    ['guests', ['Email Priya Menon']],
    ['summary', ['Offline submissions']],
    ['summary', ['Add Season']],
    ['website&part=speakers', ['Add Evening']],
    ['people', ['Invite Admin']],
  ]
  for (const [tab, buttons] of opens) {
    await office.goto(`/admin?tab=${tab}`)
    for (const name of buttons) await office.getByRole('button', { name }).first().click()
    const dialog = office.getByRole('dialog')
    const first = dialog.locator('input:not([type=hidden]):not([readonly]), select, textarea').first()
    await expect(first, `${tab}: ${buttons.join()}`).toBeFocused()
  }
})

test('the columns of the guests’ tables are aligned, whatever their content', async ({ office, club }) => {
  await office.setViewportSize({ width: 1440, height: 900 })
  await add(club, 'invited_guests', [
    { name: 'Bo', email: 'bo@example.org', status: 'accepted' },
    { name: 'Somebody with a name that takes its room', email: 'a.long.address.of.somebody@a-long-domain.example.org', status: 'invited', notes: 'Comes with a friend, perhaps two, and does not eat fish' },
    { name: 'Al', status: 'declined' },
  ])
  await office.goto('/admin?tab=guests')
  await expect(office.getByRole('table')).toHaveCount(3)
  const columns = await office.getByRole('table').evaluateAll((tables) =>
    tables.map((table) => [...table.querySelectorAll('th')].map((cell) => Math.round(cell.getBoundingClientRect().left))),
  )
  expect(columns[1]).toEqual(columns[0])
  expect(columns[2]).toEqual(columns[0])
})
