/** The back-office and the judging portal in combinations of states: an error over a dialog, restored input, no search results, print. */
import type { Page } from '@playwright/test'
import { screens, violations } from '../support/axe.ts'
import { add, expect, judgesPage, must, test, toast, unfold, type Club } from '../support/club.ts'
import { artist, nomination, png } from '../support/entries.ts'
import { lane } from '../support/lane.ts'

const bucket = 'youth-awards-submissions'
const pictures = ['artist/isla/1760000000101-one.png', 'artist/grace/1760000000102-two.png']

/** Creates two entries of one person with a picture each, a withdrawn entry, a guest, a contact and a judge. */
async function scene(club: Club) {
  for (const path of pictures) {
    await must(club.database.storage.from(bucket).upload(path, png, { contentType: 'image/png', upsert: true }))
  }
  const [school] = await add(club, 'schools', { name: 'Ashton Academy' })
  const [department] = await add(club, 'departments', { name: 'Art', school_id: school?.id })
  await add(club, 'contacts', { name: 'Morag Muir', department_id: department?.id })
  await add(club, 'young_artist_entries', { ...artist, uploaded_files: [pictures[0]] })
  await add(club, 'young_artist_entries', { ...artist, uploaded_files: [pictures[1]], junior_ranking: 1 })
  await add(club, 'young_artist_entries', { ...artist, entrant_name: 'Grace Boyle', withdrawn_at: '2026-01-01T12:00:00Z' })
  await add(club, 'young_citizen_nominations', nomination)
  await add(club, 'invited_guests', [
    { name: 'Priya Menon', email: 'priya@example.org' },
    { name: 'Bob Reid', email: 'bob@example.org' },
  ])
  await add(club, 'judges', { name: 'Ishbel Cairns', email: 'ishbel@example.org' })
}

const dialog = (page: Page) => page.getByRole('dialog')
const click = async (page: Page, name: string | RegExp) => {
  const button = page.getByRole('button', { name }).first()
  // On phones, one button hides the actions of a list.
  await expect(button.or(page.getByRole('button', { name: 'Actions', exact: true })).first()).toBeVisible()
  if (!(await button.isVisible())) await unfold(page)
  await button.click()
}

/** Answers changes of a table with an error, and forwards all other requests. */
const refuse = (page: Page, table: string) =>
  page.route(`**/rest/v1/${table}*`, (route) =>
    ['PATCH', 'POST', 'DELETE'].includes(route.request().method())
      ? route.fulfill({ status: 500, json: { message: 'no luck' } })
      : route.continue(),
  )

/** Each state: its name, and the actions that lead to it on a page of an admin. */
const states: [name: string, arrange: (office: Page, club: Club) => Promise<unknown>][] = [
  ['a message at the foot of an empty list that a filter left', async (office, club) => {
    const [guest] = await add(club, 'invited_guests', { name: 'No Address' })
    await office.goto('/admin?tab=guests')
    await office.getByRole('checkbox', { name: 'Select No Address' }).check()
    await office.getByRole('searchbox', { name: 'Search guests' }).fill('nobody of this name')
    await expect(office.getByText('Total: 0 guests')).toBeVisible()
    await click(office, 'Email Selected (1)')
    await expect(toast(office, 'Please select guests')).toBeVisible()
    await must(club.database.from('invited_guests').delete().eq('id', guest?.id).select())
  }],
  ['no contact of this status, the filters open', async (office) => {
    await office.goto('/admin?tab=contacts')
    const isPhone = (office.viewportSize()?.width ?? 0) < 768
    if (isPhone) await click(office, 'Filters (0)')
    await office.getByLabel('Status').selectOption({ label: 'Declined' })
    await expect(office.getByText('Morag Muir')).toHaveCount(0)
  }],
  ['no entry found, but one of another award', async (office) => {
    await office.goto('/admin?tab=artist')
    await office.getByLabel(/^Search/).fill('Niamh')
    await expect(office.getByText('Isla McPhail')).toHaveCount(0)
  }],
  ['a refused form in a window', async (office) => {
    await office.goto('/admin?tab=guests')
    await click(office, 'Add Guest')
    await dialog(office).getByRole('button', { name: 'Add Guest' }).click()
    await expect(dialog(office)).toContainText('Name is required')
  }],
  ['a window whose record cannot be saved, and the message of it', async (office) => {
    await refuse(office, 'invited_guests')
    await office.goto('/admin?tab=guests')
    await click(office, 'Edit Priya Menon')
    await dialog(office).getByLabel('Phone').fill('01475 630001')
    await click(office, 'Save Guest')
    await expect(toast(office, 'Failed to update guest')).toBeVisible()
    await office.unroute('**/rest/v1/invited_guests*')
  }],
  ['the question whether to leave, over a window with a message', async (office) => {
    await office.goto('/admin?tab=contacts&part=schools')
    await click(office, 'Add School')
    await office.getByLabel('School name').fill('Half a na')
    await office.getByLabel('Email').fill('no address')
    await dialog(office).getByRole('button', { name: 'Add School' }).click()
    await expect(dialog(office)).toContainText('Invalid email')
    await office.keyboard.press('Escape')
    await expect(office.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible()
  }],
  ['what was typed, restored after a reload', async (office) => {
    await office.goto('/admin?tab=judges')
    await click(office, 'Add Judge')
    await dialog(office).getByLabel('Name').fill('Half a judge')
    await office.reload()
    await click(office, 'Add Judge')
    await expect(dialog(office).getByLabel('Name')).toHaveValue('Half a judge')
  }],
  ['what somebody else has changed meanwhile', async (office, club) => {
    await office.goto('/admin?tab=guests')
    await click(office, 'Edit Bob Reid')
    await must(club.database.from('invited_guests').update({ status: 'accepted' }).eq('name', 'Bob Reid').select())
    await dialog(office).getByLabel('Phone').fill('01475 630002')
    await click(office, 'Save Guest')
    await expect(dialog(office).getByRole('alert')).toContainText('Somebody else has changed this record')
  }],
  ['a sheet of guests with lines that are wrong', async (office) => {
    await office.goto('/admin?tab=guests')
    await click(office, 'Import CSV')
    const text = 'Name,Email,Phone,Organization,Status,Notes\nAnn,ann@example.org,,,,\n,none,,,perhaps,'
    await dialog(office).getByLabel('File').setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await expect(dialog(office)).toContainText('1 of 2 lines can be imported')
  }],
  ['a letter without words, and its message', async (office) => {
    await office.goto('/admin?tab=guests')
    await click(office, 'Email Priya Menon')
    await expect(dialog(office).getByLabel('Message')).toHaveValue(/Priya Menon/)
    await dialog(office).getByLabel('Message').fill(' ')
    await dialog(office).getByRole('button', { name: 'Send Email' }).click()
    await expect(toast(office, 'Please provide an email message')).toBeVisible()
  }],
  ['some selected, and a deletion that can be taken back', async (office) => {
    await office.goto('/admin?tab=guests')
    await office.getByRole('checkbox', { name: 'Select Priya Menon' }).check()
    await click(office, 'Delete Bob Reid')
    await click(office, 'Delete guest')
    await expect(office.getByRole('button', { name: 'Undo' })).toBeVisible()
  }],
  ['a list that cannot be fetched', async (office) => {
    await office.route('**/rest/v1/young_artist_entries*', (route) => route.fulfill({ status: 400, json: { message: 'away' } }))
    await office.goto('/admin?tab=artist')
    await expect(office.getByRole('alert')).toContainText('Failed to fetch submissions')
    await office.unroute('**/rest/v1/young_artist_entries*')
  }],
  ['an entry that was sent twice, with its history open', async (office) => {
    await office.goto('/admin?tab=artist')
    await click(office, 'View: Isla McPhail')
    await expect(dialog(office)).toContainText('Isla McPhail')
    await expect(dialog(office).getByRole('button', { name: 'Merge' })).toBeVisible()
  }],
  ['a withdrawn entry', async (office) => {
    await office.goto('/admin?tab=artist')
    await click(office, 'View: Grace Boyle')
    await expect(dialog(office).getByRole('note')).toContainText('not judged and not counted')
  }],
  ['an entry on paper', async (office) => {
    await office.goto('/admin?tab=artist')
    await click(office, 'View: Isla McPhail')
    await expect(dialog(office).getByRole('img').first()).toBeVisible()
    await office.emulateMedia({ media: 'print' })
  }],
  ['a picture looked at closely', async (office) => {
    await office.emulateMedia({ media: 'screen' })
    await office.goto('/admin?tab=artist')
    await click(office, 'View: Isla McPhail')
    await click(office, /^Look closely at/)
    await expect(dialog(office).last().getByRole('button', { name: 'Zoom in' })).toBeVisible()
  }],
  ['a deletion that is typed but not confirmed', async (office) => {
    await office.goto('/admin?tab=artist')
    await click(office, 'View: Grace Boyle')
    await dialog(office).getByRole('button', { name: 'Delete' }).click()
    await office.getByLabel('Type Grace Boyle to confirm').fill('Grace')
  }],
  ['changes of the website that are not published', async (office, club) => {
    await must(club.database.from('site_texts').update({ value: 'Of a test' }).eq('name', 'theme').select())
    await office.goto('/admin?tab=website')
    await expect(office.getByText('You have changes that visitors do not see yet.')).toBeVisible()
  }],
  ['the preview, with a form in it', async (office) => {
    await office.goto('/young-artist?preview&view=form')
    await expect(office.getByText('Preview: visitors see this after you publish it.')).toBeVisible()
    await expect(office.getByRole('button', { name: 'Submit Entry' })).toBeVisible()
  }],
  ['an address with a link that has run out', async (office) => {
    await office.context().clearCookies()
    await office.evaluate(() => localStorage.clear())
    await office.goto('/auth#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired')
    await expect(toast(office, 'Email link is invalid or has expired')).toBeVisible()
  }],
]

for (const { name, colorScheme, width } of screens) {
  test(`combined states of the back-office, ${name}`, lane(colorScheme === 'light'), async ({ office, club }) => {
    // The test checks twenty states for every rule of axe.
    test.slow()
    await scene(club)
    await office.setViewportSize({ width, height: 900 })
    await office.emulateMedia({ colorScheme })
    for (const [state, arrange] of states) {
      await test.step(state, async () => {
        await arrange(office, club)
        expect.soft(await violations(office), state).toEqual([])
      })
    }
  })

  test(`combined states of the judging portal, ${name}`, lane(colorScheme === 'light'), async ({ browser, club }) => {
    test.slow()
    const page = await judgesPage(browser, club, (opened) => opened.emulateMedia({ colorScheme }))
    await page.setViewportSize({ width, height: 900 })
    const read = async (state: string) => expect.soft(await violations(page), state).toEqual([])
    await expect(page.getByText('No entries found for this category').first()).toBeVisible()
    await read('no entries')
    await scene(club)
    await page.reload()
    const places = page.getByRole('button', { name: '1st Place' })
    await expect(places.first()).toBeVisible()
    await page.getByRole('button', { name: '1st Place', pressed: false }).first().click()
    await expect(page.getByText('2 entries hold 1st Place.')).toBeVisible()
    await read('two entries of one place, and the message that it was saved')
    await refuse(page, 'young_artist_entries')
    await page.getByRole('button', { name: '2nd Place' }).first().click()
    await expect(toast(page, 'Failed to update ranking')).toBeVisible()
    await read('a place that cannot be saved')
    await page.getByRole('button', { name: /^Open .* full screen$/ }).first().click()
    await expect(page.getByRole('dialog').getByRole('img')).toBeVisible()
    await read('a picture full screen, under a message')
    await page.getByRole('button', { name: 'Side by side' }).click()
    await expect(page.getByRole('dialog').getByRole('img')).toHaveCount(2)
    await read('two pictures side by side')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.getByLabel('Enter judging password').fill('wrong')
    await page.getByRole('button', { name: 'Access Judging' }).click()
    await expect(toast(page, 'Incorrect password')).toBeVisible()
    await read('the gate after a wrong password')
    await page.context().close()
  })
}
