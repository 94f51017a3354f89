import { violations } from '../support/axe.ts'
import { add, expect, must, test, unfold, type Club } from '../support/club.ts'
import { artist, musician, nomination, photographer } from '../support/entries.ts'
import { lane } from '../support/lane.ts'

async function season(club: Club) {
  const [school] = await add(club, 'schools', [{ name: 'Ashton Academy', email: 'office@example.org', phone: '01475 1' }])
  const [department] = await add(club, 'departments', { name: 'Art', school_id: school?.id })
  const [contact] = await add(club, 'contacts', [{ name: 'Morven Abernethy', department_id: department?.id, status: 'declined' }])
  await must(club.database.from('contact_departments').insert({ contact_id: contact?.id, department_id: department?.id }))
  await add(club, 'young_citizen_nominations', { ...nomination, school_id: school?.id })
  await add(club, 'young_musician_entries', [musician, { ...musician, category: 'vocal', school_id: school?.id }])
  await add(club, 'young_photographer_entries', photographer)
  await add(club, 'young_artist_entries', [artist, artist])
  await add(club, 'offline_submissions', { school_id: school?.id, category: 'artist', count: 2 })
  await add(club, 'seasons', { name: 'The last one', event_on: '2025-06-12' })
  await add(club, 'seasons', { name: '2099', deadline_on: '2099-10-31', event_on: '2099-11-12' })
  const [judge] = await add(club, 'judges', { name: 'Ishbel Cairns', email: 'ishbel@example.org' })
  await must(club.database.from('judge_categories').insert({ judge_id: judge?.id, category: 'music' }))
  await add(club, 'event_checklist_items', [{ item_name: 'Medals', is_completed: true }])
  await add(club, 'invited_guests', [{ name: 'Priya Menon', email: 'priya@example.org' }, { name: 'Bob', status: 'declined' }])
}

const tabs = ['summary', 'citizen', 'musician', 'photographer', 'artist', 'contacts', 'contacts&part=departments', 'contacts&part=schools', 'judges', 'checklist', 'guests', 'website', 'people']
const sizes = [
  { name: 'phone', width: 360, height: 800 },
  { name: 'desk', width: 1440, height: 900 },
] as const

for (const { name, ...viewport } of sizes) {
  for (const colorScheme of ['light', 'dark'] as const) {
    // As on the visitors' pages, axe runs in two of the four combinations of width and colour scheme.
    const isAudited = (colorScheme === 'light') === (name === 'desk')
    test(`every tab, ${name}, ${colorScheme}`, lane(isAudited && name === 'desk'), async ({ office, club }) => {
      // The test checks thirteen tabs and parts for every rule. This takes most of a minute on a busy machine.
      test.slow()
      await season(club)
      await office.setViewportSize(viewport)
      await office.emulateMedia({ colorScheme })
      for (const tab of tabs) {
        await office.goto(`/admin?tab=${tab}`)
        await expect(office.getByRole('heading', { level: 1 })).toBeVisible()
        await expect(office.getByText('Loading...')).toHaveCount(0)
        if (isAudited) expect(await violations(office), tab).toEqual([])
        const wider = await office.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
        expect(wider, `${tab} scrolls sideways`).toBe(0)
      }
    })
  }
}

/** Each dialog: the tab that contains it, and the buttons to click to open it. */
const windows: [tab: string, ...buttons: string[]][] = [
  ['summary', 'Offline submissions'],
  ['summary', 'Add Season'],
  ['summary', 'Edit 2099'],
  ['summary', 'Make Late Link'],
  ['summary', 'Send Reminders'],
  ['summary', 'Show what would go'],
  ['citizen', 'View Details'],
  ['musician', 'View: '],
  ['artist', 'View: '],
  ['artist', 'View: ', 'Edit'],
  ['artist', 'View: ', 'Withdraw'],
  ['artist', 'View: ', 'Delete'],
  ['artist', 'View: ', 'Merge'],
  ['artist', 'Assign a school'],
  ['contacts', 'Add Contact'],
  ['contacts', 'Add Contact', 'Add Contact'],
  ['contacts', 'Merge Contacts'],
  ['contacts&part=departments', 'Add Department'],
  ['contacts&part=departments', 'Merge Departments'],
  ['contacts&part=schools', 'Edit Ashton Academy'],
  ['contacts&part=schools', 'Merge Schools'],
  ['judges', 'Add Judge'],
  ['judges', 'Link of Ishbel Cairns: No link'],
  ['judges', 'Criteria'],
  ['judges', 'Judging password'],
  ['checklist', 'Add Item'],
  ['guests', 'Add Guest'],
  ['guests', 'Add Guest', 'Add Guest'],
  ['guests', 'Import CSV'],
  ['guests', 'Email Priya Menon'],
  ['guests', 'Delete Bob'],
  ['website', 'Edit Theme'],
  ['website&part=events', 'Add Event'],
  ['website&part=speakers', 'Add Evening'],
  ['website&part=speakers', 'Add Evening', 'Add Evening'],
  ['website&part=corporate', 'Edit Fundraising'],
  ['people', 'Invite Admin'],
]

for (const [colorScheme, width] of [['light', 1280], ['dark', 360]] as const) {
  test(`every dialog, ${colorScheme}, ${width} pixels wide`, lane(colorScheme === 'light'), async ({ office, club }) => {
    test.slow()
    await season(club)
    await office.setViewportSize({ width, height: 900 })
    await office.emulateMedia({ colorScheme })
    for (const [tab, ...buttons] of windows) {
      await office.goto(`/admin?tab=${tab}`)
      const dialog = office.getByRole('dialog').or(office.getByRole('alertdialog'))
      await expect(office.getByRole('heading', { level: 1 })).toBeVisible()
      await unfold(office)
      for (const [index, name] of buttons.entries()) {
        const within = index === 0 ? office : dialog.last()
        await within.getByRole('button', { name }).first().click()
        await expect(dialog.first(), `${tab}: ${buttons.join(', ')}`).toBeVisible()
      }
      await office.waitForTimeout(300)
      // Checks only the dialog. The tests of the tabs check the tab behind the dialog.
      expect(await violations(office, '[role=dialog], [role=alertdialog]'), `${tab}: ${buttons.join(', ')}`).toEqual([])
    }
  })

  test(`every part of the website's editor, ${colorScheme}, ${width} pixels wide`, lane(colorScheme === 'light'), async ({ office }) => {
    test.slow()
    await office.setViewportSize({ width, height: 900 })
    await office.emulateMedia({ colorScheme })
    for (const part of ['season', 'events', 'speakers', 'winners', 'partners', 'chapters', 'figures', 'corporate']) {
      await office.goto(`/admin?tab=website&part=${part}`)
      await expect(office.getByText('Loading...')).toHaveCount(0)
      await expect(office.getByRole('button', { name: /^Edit/ }).first()).toBeVisible()
      expect(await violations(office), part).toEqual([])
    }
  })

  test(`the sign-in pages and the judging portal, ${colorScheme}, ${width} pixels wide`, lane(colorScheme === 'light'), async ({ page, club }) => {
    await add(club, 'young_artist_entries', [artist, { ...artist, uploaded_files: ['artist/isla/1760000000009-gone.png'] }])
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    for (const address of ['/auth', '/setup-admin', '/judging']) {
      await page.goto(address)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(await violations(page), address).toEqual([])
    }
    await page.goto('/auth')
    await page.getByRole('button', { name: 'Forgotten your password?' }).click()
    expect(await violations(page), 'forgotten password').toEqual([])
    await page.goto('/judging')
    await page.getByLabel('Enter judging password').fill(club.judgingPassword)
    await page.getByRole('button', { name: 'Access Judging' }).click()
    await expect(page.getByText('Isla McPhail').first()).toBeVisible()
    await expect(page.getByText('This picture could not be shown')).toBeVisible()
    expect(await violations(page), 'the portal').toEqual([])
  })
}
