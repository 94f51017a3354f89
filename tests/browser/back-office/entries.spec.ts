import { add, expect, must, test, toast } from '../support/club.ts'
import { artist, musician, nomination, photographer, png } from '../support/entries.ts'

test('an empty season shows a message', async ({ office }) => {
  await office.goto('/admin')
  await expect(office.getByText('0 submissions in total')).toBeVisible()
  await expect(office.getByRole('button', { name: 'Email All (0)' })).toBeDisabled()
  await expect(office.getByText('No submissions yet')).toBeVisible()
  for (const tab of ['Citizen', 'Musician', 'Photographer', 'Artist']) {
    await office.getByRole('tab', { name: new RegExp(tab) }).click()
    await expect(office.getByText('No submissions yet')).toBeVisible()
  }
})

test('tabs show counts; entries are grouped by school, those without a school last', async ({ office, club }) => {
  const [ashton, kempock] = await add(club, 'schools', [{ name: 'Ashton Academy' }, { name: 'Kempock High School' }])
  await add(club, 'young_musician_entries', [
    { ...musician, entrant_name: 'Callum Reid', school_id: kempock?.id },
    { ...musician, entrant_name: 'Amina Yusuf', category: 'vocal', instrument: null, school_id: ashton?.id },
    { ...musician, entrant_name: 'Finlay Orr' },
  ])
  await add(club, 'offline_submissions', { school_id: ashton?.id, category: 'musician', count: 2 })
  await office.goto('/admin')
  await expect(office.getByText('3 submissions in total')).toBeVisible()
  await expect(office.getByRole('listitem').filter({ hasText: 'Ashton Academy' })).toContainText('(+2 offline)')

  await office.getByRole('tab', { name: 'Musician (1 V / 2 I)' }).click()
  await expect(office.getByRole('heading', { level: 2 })).toHaveText(['Ashton Academy', 'Kempock High School', 'No School Assigned'])
  const amina = office.getByRole('article').filter({ hasText: 'Amina Yusuf' })
  await expect(amina).toContainText('Voice Type')
  await expect(amina).toContainText('Not specified')
  await expect(amina).toContainText('Ae Fond Kiss by Traditional')
  await expect(amina.getByRole('button', { name: /Download/ })).toBeVisible()
  const finlay = office.getByRole('article').filter({ hasText: 'Finlay Orr' })
  await expect(finlay.getByRole('button', { name: /View/ })).toBeVisible()
  await expect(finlay.getByRole('button', { name: /Download/ })).toHaveCount(0)
})

test('each kind of entry opens with its title and facts, by button and by URL', async ({ office, club }) => {
  const [art] = await add(club, 'young_artist_entries', artist)
  await add(club, 'young_photographer_entries', photographer)
  await add(club, 'young_musician_entries', { ...musician, accompanist_required: true, accompanist_name: 'Mr Gow' })
  await office.goto(`/admin?tab=artist&entry=${art?.id}`)
  await expect(office.getByRole('dialog', { name: 'Young Artist Entry: Isla McPhail' })).toContainText('Acrylic on board')
  await office.keyboard.press('Escape')
  await expect(office).toHaveURL('/admin?tab=artist')

  await office.getByRole('tab', { name: /Photographer/ }).click()
  await office.getByRole('button', { name: 'View: Struan Keith' }).click()
  await expect(office.getByRole('dialog', { name: 'Young Photographer Entry: Struan Keith' })).toContainText('Phone camera')
  await office.goBack()
  await expect(office.getByRole('dialog')).toHaveCount(0)

  await office.getByRole('tab', { name: /Musician/ }).click()
  await office.getByRole('button', { name: 'View: Rory Sinclair' }).click()
  await expect(office.getByRole('dialog', { name: 'Young Musician Entry: Rory Sinclair' })).toContainText('Mr Gow')
})

test('downloads: all files one after the other, an entry without files, and a missing file', async ({ office, club }) => {
  const paths = ['artist/isla/1760000000001-one.png', 'artist/isla/1760000000002-two.png']
  for (const path of paths) {
    await must(club.database.storage.from('youth-awards-submissions').upload(path, png, { contentType: 'image/png', upsert: true }))
  }
  await add(club, 'young_artist_entries', [
    { ...artist, entrant_name: 'Two Files', uploaded_files: paths },
    { ...artist, entrant_name: 'No Files' },
    { ...artist, entrant_name: 'Lost File', uploaded_files: ['artist/lost/1760000000003-lost.png'] },
  ])
  await office.goto('/admin?tab=artist')
  const names: string[] = []
  office.on('download', (download) => names.push(download.suggestedFilename()))
  await office.getByRole('button', { name: 'Download the files of Two Files' }).click()
  await expect(toast(office, 'Downloaded 2 file(s)')).toBeVisible()
  expect(names).toEqual(['two-files-1.png', 'two-files-2.png'])
  await office.getByRole('button', { name: 'Download the files of No Files' }).click()
  await expect(toast(office, 'This entry has no uploaded files')).toContainText('No Attachments')
  await office.getByRole('button', { name: 'Download the files of Lost File' }).click()
  await expect(toast(office, 'Failed to download attachments')).toBeVisible()
  await office.getByRole('button', { name: 'View: Lost File' }).click()
  await office.getByRole('button', { name: 'Download File 1' }).click()
  await expect(toast(office, 'Failed to download file')).toBeVisible()
})

test('entries without a school are assigned to St Columba’s', async ({ office, club }) => {
  const [columba] = await add(club, 'schools', { name: "St Columba's High School" })
  await add(club, 'young_artist_entries', [artist, { ...artist, entrant_name: 'Orla Kerr' }])
  await office.goto('/admin?tab=artist')
  await office.getByRole('button', { name: "Assign All to St Columba's" }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  await office.getByRole('button', { name: "Assign All to St Columba's" }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Assign 2 entries' }).click()
  await expect(toast(office, "Assigned 2 art entries to St Columba's High School")).toBeVisible()
  await office.getByRole('button', { name: 'Undo' }).click()
  await expect(toast(office, '2 entries have no school again')).toBeVisible()
  await expect(office.getByRole('heading', { name: 'No School Assigned' })).toBeVisible()
  await office.getByRole('button', { name: "Assign All to St Columba's" }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Assign 2 entries' }).click()
  await expect(office.getByRole('heading', { name: 'No School Assigned' })).toBeHidden()
  await expect(office.getByRole('heading', { level: 2 })).toHaveText(["St Columba's High School"])
  const rows = await must(club.database.from('young_artist_entries').select('school_id'))
  expect(rows.map((row) => row.school_id)).toEqual([columba?.id, columba?.id])
})

test('the update of schools uses the names that entrants have typed', async ({ office, club }) => {
  const [school] = await add(club, 'schools', { name: 'Ashton Academy' })
  await add(club, 'young_artist_entries', { ...artist, school: '  ashton   academy ' })
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Update schools' }).click()
  await expect(toast(office, 'Matched 1 entries to their schools')).toBeVisible()
  await expect(office.getByRole('listitem').filter({ hasText: 'Ashton Academy' })).toContainText('1 entries')
  const rows = await must(club.database.from('young_artist_entries').select('school_id'))
  expect(rows[0]?.school_id).toBe(school?.id)
})

test('a search finds entries of this award and of the others; the URL contains the search', async ({ office, club }) => {
  await add(club, 'young_artist_entries', [artist, { ...artist, entrant_name: 'Zoë Muir' }])
  await add(club, 'young_photographer_entries', { ...photographer, entrant_name: 'Zoe Grant' })
  await office.goto('/admin?tab=artist')
  // The page subscribes to changes after it has shown the entries.
  await expect(office.getByRole('article')).toHaveCount(2)
  await office.keyboard.press('/')
  await office.keyboard.type('zoe')
  await expect(office.getByText('1 entry found')).toBeVisible()
  await expect(office.getByRole('article')).toHaveCount(1)
  await expect(office).toHaveURL(/q=zoe/)
  await office.getByRole('link', { name: '1 more in Photographer' }).click()
  await expect(office.getByRole('article')).toContainText('Zoe Grant')
})

test('offline counts: missing values, wrong values, and one count for each school and category', async ({ office, club }) => {
  await add(club, 'schools', { name: 'Ashton Academy' })
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Offline submissions' }).click()
  const dialog = office.getByRole('dialog', { name: 'Offline Submissions' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(toast(office, 'Please fill in all required fields')).toBeVisible()
  await dialog.getByLabel('School').selectOption({ label: 'Ashton Academy' })
  await dialog.getByLabel('Category').selectOption({ label: 'Artist' })
  await dialog.getByLabel('Number of entries').fill('-3')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('Count must be a positive number')
  await dialog.getByLabel('Number of entries').fill('4')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(toast(office, 'Offline submission count saved')).toBeVisible()
  await dialog.getByLabel('School').selectOption({ label: 'Ashton Academy' })
  await dialog.getByLabel('Category').selectOption({ label: 'Artist' })
  await dialog.getByLabel('Number of entries').fill('6')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('row', { name: /Ashton Academy Artist 6/ })).toBeVisible()
  const rows = await must(club.database.from('offline_submissions').select('category, count'))
  expect(rows).toEqual([{ category: 'artist', count: 6 }])
})

test('all submissions are sent by mail, with a link to the spreadsheet', async ({ office, club }) => {
  await add(club, 'young_citizen_nominations', { ...nomination, nominee_name: '=cmd|calc' })
  await add(club, 'young_artist_entries', { ...artist, artwork_title: '<b>Bold</b>' })
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Email All (2)' }).click()
  await expect(toast(office, 'All submissions were sent to awards@example.org')).toBeVisible()
  const { messageTo } = await import('../../support/inbox.mjs')
  const message = await messageTo(club.url, 'awards@example.org', /all 2 submissions/)
  expect(message.html).toContain('=cmd|calc')
  expect(message.html).not.toContain('<b>Bold</b>')
  const link = /href="([^"]*object\/sign[^"]*)"/.exec(message.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const sheet = await (await fetch(link)).text()
  expect(sheet).toContain("'=cmd|calc")
  expect(sheet.split('\r\n')).toHaveLength(3)
})

test('if the server fails, the page shows an error and retries', async ({ office, club }) => {
  await add(club, 'young_artist_entries', artist)
  let failing = true
  await office.route('**/rest/v1/young_artist_entries*', (route) =>
    failing ? route.fulfill({ status: 500, json: { message: 'away' } }) : route.continue(),
  )
  await office.goto('/admin?tab=artist')
  await expect(office.getByRole('alert')).toContainText('Failed to fetch submissions', { timeout: 20_000 })
  await expect(toast(office, 'Failed to fetch submissions')).toBeVisible()
  failing = false
  await office.getByRole('button', { name: 'Try again' }).click()
  await expect(office.getByRole('article')).toContainText('Isla McPhail')
})

test('a new entry appears without a reload', async ({ office, club }) => {
  await office.goto('/admin?tab=artist')
  await expect(office.getByText('No submissions yet')).toBeVisible()
  await office.waitForTimeout(1500)
  await add(club, 'young_artist_entries', artist)
  await expect(office.getByRole('article')).toContainText('Isla McPhail', { timeout: 25_000 })
})

test('the history of an entry shows who changed which field', async ({ office, club }) => {
  await add(club, 'schools', { name: "St Columba's High School" })
  const [entry] = await add(club, 'young_artist_entries', artist)
  await office.goto('/admin?tab=artist')
  await office.getByRole('button', { name: "Assign All to St Columba's" }).click()
  await office.getByRole('button', { name: 'Assign 1 entry' }).click()
  await expect(toast(office, 'Assigned 1 art entries')).toBeVisible()
  await office.goto(`/admin?tab=artist&entry=${entry?.id}`)
  const dialog = office.getByRole('dialog')
  await expect(dialog).toContainText(`${club.admin.email} changed this record`)
  await expect(dialog).toContainText('school id')
})
