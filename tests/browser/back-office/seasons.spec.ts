import type { Page } from '@playwright/test'
import { messagesTo } from '../../support/inbox.mjs'
import { add, expect, must, test, toast, type Club } from '../support/club.ts'
import { artist, nomination, png } from '../support/entries.ts'

const bucket = 'youth-awards-submissions'
const day = 24 * 3600 * 1000
const daysAgo = (days: number) => new Date(Date.now() - days * day)
const dateAgo = (days: number) => daysAgo(days).toISOString().slice(0, 10)
const oldFile = 'artist/isla/1760000000011-old.png'
const newFile = 'artist/grace/1760000000012-new.png'

/** Creates a season whose event was four months ago, and an entry of the next season. Returns the id of a nomination in the old season. */
async function twoSeasons(club: Club) {
  for (const path of [oldFile, newFile]) {
    await must(club.database.storage.from(bucket).upload(path, png, { contentType: 'image/png', upsert: true }))
  }
  await add(club, 'seasons', { name: 'The last one', event_on: dateAgo(125) })
  await add(club, 'young_artist_entries', [
    { ...artist, created_at: daysAgo(200), uploaded_files: [oldFile] },
    { ...artist, entrant_name: 'Grace Boyle', uploaded_files: [newFile] },
  ])
  const [nominated] = await add(club, 'young_citizen_nominations', { ...nomination, created_at: daysAgo(190) })
  await add(club, 'guest_letters', { guest_name: 'Tom', email: 'tom@example.org', subject: 'Come', message: 'Do', sent_at: daysAgo(150) })
  return nominated?.id ?? ''
}

async function openDeletion(office: Page) {
  await office.getByRole('button', { name: 'Show what would go' }).click()
  return office.getByRole('dialog', { name: 'Delete the data of The last one' })
}

const stored = async (club: Club, folder: string) =>
  (await must(club.database.storage.from(bucket).list(folder))).map(({ name }) => name)

test('a season: none, refused, added, edited; a reminder is shown from its date on', async ({ office, club }) => {
  await office.goto('/admin')
  await expect(office.getByText('No seasons yet')).toBeVisible()
  await add(club, 'young_artist_entries', artist)
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Set the date' }).click()
  const dialog = office.getByRole('dialog', { name: 'Add Season' })
  await dialog.getByRole('button', { name: 'Add Season' }).click()
  await expect(dialog).toContainText('Season name is required')
  await expect(dialog).toContainText('Please give the date of the event')
  await dialog.getByLabel('Season name').fill('This one')
  await dialog.getByLabel('Date of the event').fill(dateAgo(-30))
  await dialog.getByRole('button', { name: 'Add Season' }).click()
  await expect(toast(office, 'Season added successfully')).toBeVisible()
  await expect(office.getByRole('button', { name: 'Set the date' })).toHaveCount(0)
  await expect(office.getByRole('row', { name: /This one .* kept until/ })).toBeVisible()
  await expect(office.getByRole('button', { name: 'Delete the data of This one' })).toHaveCount(0)

  await office.getByRole('button', { name: 'Edit This one' }).click()
  await office.getByLabel('Date of the event').fill(dateAgo(125))
  await office.getByRole('button', { name: 'Save Season' }).click()
  await expect(toast(office, 'Season updated successfully')).toBeVisible()
  await expect(office.getByText(/The personal data of This one was due for deletion on/)).toBeVisible()
  expect(await must(club.database.from('seasons').select('name, event_on'))).toEqual([{ name: 'This one', event_on: dateAgo(125) }])
})

test('seasons are never mixed: totals, lists and paper counts belong to the shown season', async ({ office, club }) => {
  await twoSeasons(club)
  const [school] = await add(club, 'schools', { name: 'Ashton Academy' })
  await add(club, 'offline_submissions', { school_id: school?.id, category: 'musician', count: 4, created_at: daysAgo(180) })
  await office.goto('/admin')
  await expect(office.getByText('1 submissions in total')).toBeVisible()
  await expect(office.getByRole('tab', { name: /Citizen/ })).toContainText('0')
  await expect(office.getByText('(+4 offline)')).toHaveCount(0)
  await office.getByRole('tab', { name: /Artist/ }).click()
  await expect(office.getByText('Grace Boyle')).toBeVisible()
  await expect(office.getByText('Isla McPhail')).toHaveCount(0)
  await office.getByLabel('Season', { exact: true }).selectOption('The last one')
  await expect(office.getByText('Isla McPhail')).toBeVisible()
  await expect(office.getByText('Grace Boyle')).toHaveCount(0)
  await office.getByRole('tab', { name: 'Summary' }).click()
  await expect(office.getByRole('row', { name: /Ashton Academy/ }).or(office.getByRole('listitem').filter({ hasText: 'Ashton Academy' })).first()).toContainText('4')
  await office.getByRole('button', { name: 'Offline submissions' }).click()
  await expect(office.getByRole('dialog')).toContainText('The season The last one is over: its counts cannot be changed.')
  await expect(office.getByRole('table', { name: 'Current offline counts' })).toContainText('Ashton Academy')
})

test('a paper count of a new season replaces the previous one, which stays in its season’s totals', async ({ office, club }) => {
  await twoSeasons(club)
  const [school] = await add(club, 'schools', { name: 'Ashton Academy' })
  await add(club, 'offline_submissions', { school_id: school?.id, category: 'artist', count: 4, created_at: daysAgo(180) })
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Offline submissions' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByLabel('School').selectOption('Ashton Academy')
  await dialog.getByLabel('Category').selectOption('Artist')
  await expect(dialog.getByText(/The count is/)).toHaveCount(0)
  await dialog.getByLabel('Number of entries').fill('2')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(toast(office, 'Offline submission count saved')).toBeVisible()
  expect(await must(club.database.from('offline_submissions').select('count'))).toEqual([{ count: 2 }])
  expect(await must(club.database.from('season_totals').select('season, award, category, entries'))).toEqual([
    { season: 'The last one', award: 'artist', category: 'on paper', entries: 4 },
  ])
})

test('a late link: created, shown once, listed, revoked', async ({ office, club }) => {
  await add(club, 'seasons', { name: '2099', deadline_on: dateAgo(1), event_on: dateAgo(-20) })
  await office.goto('/admin')
  await expect(office.getByRole('row', { name: /2099 closed since/ })).toBeVisible()
  await office.getByRole('button', { name: 'Make Late Link' }).click()
  const dialog = office.getByRole('dialog', { name: 'Make a late link' })
  await dialog.getByLabel('Form').selectOption('Young Photographer')
  await dialog.getByLabel('For whom').fill('Struan, who was ill')
  await dialog.getByRole('button', { name: 'Make Late Link' }).click()
  const shown = office.getByRole('dialog', { name: 'The late link for Struan, who was ill' })
  const address = await shown.getByLabel('Late link').inputValue()
  expect(address).toMatch(/\/young-photographer\?view=form#late=[0-9a-f]{64}$/)
  await shown.getByRole('button', { name: 'Done' }).click()
  const row = office.getByRole('row', { name: /Struan, who was ill/ })
  await expect(row).toContainText('Young Photographer')
  await expect(row).toContainText('works until')
  await expect(row).toContainText('secretary@club.example.org')
  await office.getByRole('button', { name: 'Withdraw the late link of Struan, who was ill' }).click()
  await expect(toast(office, 'The late link opens nothing any more')).toBeVisible()
  await expect(row).toContainText('withdrawn on')
  const visitor = await office.context().browser()?.newContext({ baseURL: club.url })
  const page = await visitor?.newPage()
  await page?.goto(address)
  await expect(page!.getByText('This late link has been used, was withdrawn, or has ended.')).toBeVisible()
  await visitor?.close()
})

test('the dry run lists what would be deleted, and changes nothing', async ({ office, club }) => {
  await twoSeasons(club)
  await office.goto('/admin')
  const dialog = await openDeletion(office)
  await expect(dialog.getByRole('heading', { name: 'Entries: 2' })).toBeVisible()
  await expect(dialog).toContainText('Young Artist, intermediate: 1')
  await expect(dialog).toContainText('Young Citizen, individual: 1')
  await expect(dialog).toContainText('guest letters: 1')
  await dialog.getByText('Show the files').click()
  await expect(dialog).toContainText(`Award files: ${oldFile}`)
  await expect(dialog).not.toContainText(newFile)
  await expect(dialog.getByRole('button', { name: 'Delete for good' })).toBeDisabled()
  await dialog.getByLabel('Type The last one to confirm').fill('the last one')
  await expect(dialog.getByRole('button', { name: 'Delete for good' })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await must(club.database.from('young_artist_entries').select('id'))).toHaveLength(2)
  expect(await stored(club, 'artist/isla')).toContain('1760000000011-old.png')
})

test('if deleting the files fails, an error is shown and the database is unchanged', async ({ office, club }) => {
  await twoSeasons(club)
  await office.goto('/admin')
  const dialog = await openDeletion(office)
  await dialog.getByLabel('Type The last one to confirm').fill('The last one')
  await office.route('**/storage/v1/object/youth-awards-submissions', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 500, json: { message: 'the store is away' } }) : route.continue(),
  )
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expect(toast(office, /The season is not deleted completely: the store is away/)).toBeVisible()
  await expect(dialog).toBeVisible()
  expect(await must(club.database.from('young_artist_entries').select('id'))).toHaveLength(2)
  expect(await must(club.database.from('season_totals').select('id'))).toHaveLength(0)
})

test('after the deletion, rows, files and mails are gone, and the totals are kept', async ({ office, club }) => {
  const nominated = await twoSeasons(club)
  // Earlier tests have sent mails about entries of today, which do not belong to the season. Ignore these mails.
  const others = new Set((await messagesTo(club.url, 'awards@example.org')).map(({ id }: { id: string }) => id))
  const mails = async () => (await messagesTo(club.url, 'awards@example.org')).filter(({ id }: { id: string }) => !others.has(id))
  await office.goto('/admin')
  // The summary shows only one season at a time. Select the previous season.
  await expect(office.getByText('1 submissions in total')).toBeVisible()
  await office.getByLabel('Season', { exact: true }).selectOption('The last one')
  await office.getByRole('button', { name: 'Email All (2)' }).click()
  await expect(toast(office, 'All submissions were sent to')).toBeVisible()
  expect((await mails()).length).toBeGreaterThan(0)
  expect((await stored(club, 'exports')).length).toBeGreaterThan(0)

  const dialog = await openDeletion(office)
  await expect(dialog).toContainText(/send-email: \d+/)
  await dialog.getByLabel('Type The last one to confirm').fill('The last one')
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expect(toast(office, 'The personal data of The last one is deleted: 2 entries')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(office.getByRole('button', { name: 'Show what would go' })).toHaveCount(0)
  await expect(office.getByRole('row', { name: /The last one .* deleted on/ })).toBeVisible()
  await expect(office.getByRole('table', { name: 'Earlier seasons' })).toContainText('Young Citizen')
  await expect(office.getByText('1 submissions in total')).toBeVisible()

  expect(await must(club.database.from('young_artist_entries').select('entrant_name'))).toEqual([{ entrant_name: 'Grace Boyle' }])
  expect(await must(club.database.from('young_citizen_nominations').select('id'))).toHaveLength(0)
  expect(await must(club.database.from('guest_letters').select('id'))).toHaveLength(0)
  expect(await stored(club, 'artist/isla')).not.toContain('1760000000011-old.png')
  expect(await stored(club, 'artist/grace')).toContain('1760000000012-new.png')
  expect(await stored(club, 'exports')).toEqual([])
  expect(await mails()).toEqual([])
  const totals = await must(club.database.from('season_totals').select('season, award, category, entries').order('award'))
  expect(totals).toEqual([
    { season: 'The last one', award: 'artist', category: 'intermediate', entries: 1 },
    { season: 'The last one', award: 'citizen', category: 'individual', entries: 1 },
  ])
  const log = await must(club.database.from('audit_log').select('action, changes').eq('record_id', nominated))
  expect(log).toEqual([{ action: 'delete', changes: null }])
})
