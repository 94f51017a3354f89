/** Messages on a phone and over dialogs cover no button, and screen readers announce them. */
import type { Locator, Page } from '@playwright/test'
import { add, expect, must, test, toast, unfold } from '../support/club.ts'
import { artist } from '../support/entries.ts'

/** Returns the buttons, links and tabs in a part of the page that the message covers. */
async function covered(message: Locator, part: Locator): Promise<string[]> {
  const box = await message.boundingBox()
  if (!box) throw new Error('the message is not shown')
  return part.locator('button, a, [role=tab]').evaluateAll(
    (elements, { x, y, width, height }) =>
      elements
        .filter((element) => {
          const own = element.getBoundingClientRect()
          return own.width > 0 && own.left < x + width && own.right > x && own.top < y + height && own.bottom > y
        })
        .map((element) => element.textContent || element.getAttribute('aria-label') || ''),
    box,
  )
}

/** Waits until the animation of the message with this text has ended. Returns the message. */
async function atRest(page: Page, text: RegExp): Promise<Locator> {
  const message = toast(page, text)
  await expect(message).toHaveAttribute('data-mounted', 'true')
  await message.evaluate((element) => Promise.all(element.getAnimations().map((animation) => animation.finished)))
  return message
}

/** Returns the headings at the top of a tab. */
const headings = (page: Page) => page.locator('main [data-above-notices]')

test('a message does not cover the buttons of a heading on a wide screen', async ({ office, club }) => {
  await office.setViewportSize({ width: 1440, height: 900 })
  await add(club, 'event_checklist_items', { item_name: 'Order the trophies' })
  await office.goto('/admin?tab=checklist')
  await office.getByRole('button', { name: 'Delete Order the trophies' }).click()
  const message = await atRest(office, /Item deleted successfully/)
  expect(await covered(message, headings(office))).toEqual([])

  await must(club.database.from('site_texts').update({ value: 'Of a test' }).eq('name', 'theme').select())
  await office.goto('/admin?tab=website')
  await office.getByRole('button', { name: 'Publish' }).click({ timeout: 30_000 })
  const published = await atRest(office, /The website is published/)
  expect(await covered(published, headings(office))).toEqual([])
})

for (const [width, height] of [[360, 740], [768, 1024], [1440, 900]] as const)
  test(`a message covers no button of the first row at ${width} pixels`, async ({ office, club }) => {
    await office.setViewportSize({ width, height })
    await add(club, 'event_checklist_items', ['Order the trophies', 'Print the programme', 'Book the hall'].map((item_name) => ({ item_name })))
    await add(club, 'judges', [{ name: 'Fergus Blair' }, { name: 'Kirsty Lamont' }])
    await add(club, 'invited_guests', ['Ann', 'Bob', 'Cal'].map((name) => ({ name, email: `${name}@example.org` })))
    await add(club, 'young_artist_entries', [artist, { ...artist, entrant_name: 'Adam Nowak' }])
    for (const [tab, button] of [['checklist', 'Edit Order the trophies'], ['judges', 'Edit Fergus Blair'], ['guests', 'Edit Ann'], ['artist', 'View'], ['people', 'Log out everywhere']] as const) {
      await office.goto(`/admin?tab=${tab}`)
      await unfold(office)
      await expect(office.getByRole('button', { name: button }).first()).toBeVisible()
      // The mail with all entries fails, and the message stays until it is closed.
      await office.route('**/functions/v1/**', (route) => route.fulfill({ status: 500, json: { error: 'no luck' } }))
      await office.getByRole('button', { name: /^Email All/ }).click()
      const message = await atRest(office, /./)
      const first = office.getByRole('tabpanel').locator('li, tbody tr, article').locator('visible=true').first()
      await expect.poll(async () => [...(await covered(message, headings(office))), ...(await covered(message, first))], { message: tab }).toEqual([])
    }
  })

test.describe('a message does not cover the buttons of a heading on a phone', () => {
  test.beforeEach(({ office }) => office.setViewportSize({ width: 360, height: 740 }))

  test('a message is below the header, the tabs and the heading', async ({ office, club }) => {
    await add(club, 'invited_guests', { name: 'Bob' })
    await office.goto('/admin?tab=guests')
    await office.getByRole('checkbox', { name: 'Select Bob' }).check()
    await unfold(office)
    await office.getByRole('button', { name: 'Email Selected (1)' }).click()
    const message = await atRest(office, /Please select guests/)
    expect(await covered(message, office.locator('header'))).toEqual([])
    expect(await covered(message, office.getByRole('tablist', { name: 'Dashboard' }))).toEqual([])
    await expect(office.getByRole('button', { name: 'Add Guest' })).toBeVisible()
    expect(await covered(message, headings(office))).toEqual([])
  })

  test('a message in a dialog does not cover its buttons', async ({ office, club }) => {
    await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
    await office.route('**/rest/v1/invited_guests*', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 500, json: { message: 'no luck' } }) : route.continue(),
    )
    await office.goto('/admin?tab=guests')
    await office.getByRole('button', { name: 'Edit Priya Menon' }).click()
    const dialog = office.getByRole('dialog')
    await dialog.getByLabel('Phone').fill('01475 630001')
    await dialog.getByRole('button', { name: 'Save Guest' }).click()
    const message = await atRest(office, /Failed to update guest/)
    expect(await covered(message, dialog.locator('header, footer'))).toEqual([])
  })

  test('filters collapse into one button, and the actions for selected rows stay at the bottom', async ({ office, club }) => {
    const [school] = await add(club, 'schools', { name: 'Ashton Academy' })
    const [department] = await add(club, 'departments', { name: 'Art', school_id: school?.id })
    await add(club, 'contacts', { name: 'Morag Muir', department_id: department?.id })
    await office.goto('/admin?tab=contacts')
    await expect(office.getByLabel('Status')).toBeHidden()
    await office.getByRole('button', { name: 'Filters (0)' }).click()
    await office.getByLabel('Status').selectOption({ label: 'Declined' })
    await expect(office.getByRole('button', { name: 'Filters (1)' })).toHaveAttribute('aria-expanded', 'true')

    await add(club, 'invited_guests', Array.from({ length: 12 }, (_, number) => ({ name: `Guest ${number}`, email: `g${number}@example.org` })))
    await office.goto('/admin?tab=guests')
    await office.getByRole('checkbox', { name: 'Select Guest 0' }).check()
    await office.getByText('Total: 12 guests').scrollIntoViewIfNeeded()
    const bar = office.getByRole('button', { name: 'Email Selected (1)' })
    await expect(bar).toBeInViewport()
    const box = await bar.boundingBox()
    expect(740 - (box?.y ?? 0) - (box?.height ?? 0)).toBeLessThan(20)
  })
})

test('closing a message, and undo, leave a dialog open; the first message in it is announced', async ({ office, club }) => {
  await add(club, 'invited_guests', [
    { name: 'Priya Menon', email: 'priya@example.org' },
    { name: 'Tom Galbraith', email: 'tom@example.org' },
  ])
  await office.goto('/admin?tab=guests')
  await office.getByRole('button', { name: 'Edit Priya Menon' }).click()
  const dialog = office.getByRole('dialog')
  await office.route('**/rest/v1/invited_guests*', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 500, json: { message: 'no luck' } }) : route.continue(),
  )
  await dialog.getByLabel('Phone').fill('01475 630001')
  await dialog.getByRole('button', { name: 'Save Guest' }).click()
  const message = await atRest(office, /Failed to update guest/)
  expect(await message.evaluate((element) => element.closest('[aria-hidden=true]') !== null)).toBe(false)
  await message.getByRole('button', { name: 'Close' }).click()
  await expect(message).toHaveCount(0)
  await expect(dialog).toBeVisible()
  await office.unroute('**/rest/v1/invited_guests*')
  await dialog.getByRole('button', { name: 'Save Guest' }).click()
  await expect(dialog).toHaveCount(0)

  await office.getByRole('button', { name: 'Delete Tom Galbraith' }).click()
  await office.getByRole('alertdialog').or(office.getByRole('dialog')).getByRole('button', { name: 'Delete' }).click()
  await office.getByRole('button', { name: 'Edit Priya Menon' }).click()
  await toast(office, 'Guest deleted successfully').getByRole('button', { name: 'Undo' }).click()
  await expect(dialog).toBeVisible()
})

test('an entry is found by the reference in its receipt', async ({ office, club }) => {
  const [entry] = await add(club, 'young_artist_entries', artist)
  const reference = String(entry?.id).slice(0, 8).toUpperCase()
  await office.goto('/admin?tab=artist')
  await office.getByLabel('Search entries').fill(reference)
  await office.getByRole('button', { name: 'View' }).click()
  await expect(office.getByRole('dialog')).toContainText(`Reference ${reference}`)
})
