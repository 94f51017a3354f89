import { messagesTo } from '../../support/inbox.mjs'
import { add, expect, must, test, toast } from '../support/club.ts'
import { artist, nomination, png } from '../support/entries.ts'
import { signed } from '../support/signatures.ts'

const bucket = 'youth-awards-submissions'

test('an entry is corrected: refused answers, any school for a citizen, and the history', async ({ office, club }) => {
  const [ashton] = await add(club, 'schools', { name: 'Ashton Academy' })
  const [row] = await add(club, 'young_citizen_nominations', nomination)
  await office.goto('/admin')
  await expect(office.getByText('1 entry has no school yet:')).toBeVisible()
  await office.getByRole('link', { name: '1 in Citizen' }).click()
  await office.getByRole('button', { name: 'View Details: Niamh Docherty' }).click()
  const entry = office.getByRole('dialog', { name: 'Young Citizen Nomination: Niamh Docherty' })
  await entry.getByRole('button', { name: 'Edit' }).click()
  const form = office.getByRole('dialog', { name: 'Edit Nomination' })
  await form.getByLabel('Age').fill('19')
  await form.getByLabel('Nominator: email').fill('nobody')
  await form.getByRole('button', { name: 'Save Nomination' }).click()
  await expect(form).toContainText('Age must be between 11 and 18')
  await expect(form).toContainText('Invalid email')
  await form.getByLabel('Age').fill('16')
  await form.getByLabel('Nominator: email').fill(nomination.nominator_email)
  await form.getByLabel('School').selectOption('Ashton Academy')
  await form.getByRole('button', { name: 'Save Nomination' }).click()
  await expect(toast(office, 'Nomination updated successfully')).toBeVisible()
  await expect(entry).toContainText('nominee age: 15 → 16')
  await expect(entry).toContainText(`${club.admin.email} changed this record`)
  await expect(entry).toContainText('Ashton Academy')
  await office.goto('/admin')
  await expect(office.getByRole('listitem').filter({ hasText: 'Ashton Academy' })).toContainText('1 entries')
  const [saved] = await must(club.database.from('young_citizen_nominations').select())
  expect(saved).toMatchObject({ id: row?.id, nominee_age: 16, school_id: ashton?.id, why_deserving: nomination.why_deserving })
})

test('two admins at one entry: the second is shown what the first has saved', async ({ office, club }) => {
  const [row] = await add(club, 'young_artist_entries', artist)
  await office.goto(`/admin?tab=artist&entry=${row?.id}`)
  await office.getByRole('button', { name: 'Edit' }).click()
  await must(club.database.from('young_artist_entries').update({ medium: 'Ink' }).eq('id', row?.id ?? '').select())
  const form = office.getByRole('dialog', { name: 'Edit Entry' })
  await form.getByLabel('Artwork title').fill('Daisies')
  await form.getByRole('button', { name: 'Save Entry' }).click()
  await expect(form.getByRole('alert')).toContainText('Medium is nowInk')
  await expect(form.getByRole('alert')).not.toContainText('Category')
  await form.getByRole('button', { name: 'Take over their version' }).click()
  await expect(form.getByLabel('Medium')).toHaveValue('Ink')
})

test('a withdrawn entry is not counted, has a separate heading, and can be restored', async ({ office, club }) => {
  const [row] = await add(club, 'young_artist_entries', [artist, { ...artist, entrant_name: 'Grace Boyle' }])
  await office.goto(`/admin?tab=artist&entry=${row?.id}`)
  const entry = office.getByRole('dialog', { name: 'Young Artist Entry: Isla McPhail' })
  await entry.getByRole('button', { name: 'Withdraw' }).click()
  await office.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(toast(office, 'Entry withdrawn')).toBeVisible()
  await expect(entry.getByRole('note')).toContainText('not judged and not counted')
  await expect(office.getByText('1 submissions in total')).toBeVisible()
  await office.keyboard.press('Escape')
  await expect(office.getByRole('heading', { level: 2 })).toHaveText(['No School Assigned', 'Withdrawn'])
  await office.getByRole('button', { name: 'View: Isla McPhail' }).click()
  await entry.getByRole('button', { name: 'Take back' }).click()
  await expect(toast(office, 'Entry taken back')).toBeVisible()
  await expect(office.getByText('2 submissions in total')).toBeVisible()
})

test('an entry that was sent twice is merged into one, with the files of both', async ({ office, club }) => {
  const [first] = await add(club, 'young_artist_entries', [
    { ...artist, uploaded_files: ['artist/isla-mcphail/1760000000001-a.png'] },
    { ...artist, artwork_title: 'Later', inspiration: 'The gulls', uploaded_files: ['artist/isla-mcphail/1760000000002-b.png'] },
  ])
  await office.goto(`/admin?tab=artist&entry=${first?.id}`)
  await office.getByRole('button', { name: 'Merge', exact: true }).click()
  const dialog = office.getByRole('dialog', { name: 'Merge Entries' })
  await expect(dialog).toContainText('(2 selected)')
  await expect(dialog.getByRole('button', { name: 'Merge Entries' })).toBeDisabled()
  await expect(dialog).toContainText('Please select which entry to keep')
  await dialog.getByRole('group', { name: 'Which one is kept?' }).getByRole('radio').first().check()
  await dialog.getByRole('button', { name: 'Merge Entries' }).click()
  await expect(toast(office, 'Merged 1 duplicate entry')).toBeVisible()
  const rows = await must(club.database.from('young_artist_entries').select('uploaded_files, inspiration'))
  expect(rows).toHaveLength(1)
  expect([...(rows[0]?.uploaded_files as string[])].sort()).toEqual([
    'artist/isla-mcphail/1760000000001-a.png',
    'artist/isla-mcphail/1760000000002-b.png',
  ])
})

test('deleted on a parent’s request: row, files, mails, and the person in the log', async ({ office, club }) => {
  const file = 'artist/isla-mcphail/1760000000021-a.png'
  const music = 'isla-mcphail/1760000000022-air.mp3'
  const storage = club.database.storage
  await must(storage.from(bucket).upload(file, png, { contentType: 'image/png', upsert: true }))
  await must(storage.from('music-uploads').upload(music, signed('audio/mpeg', Buffer.alloc(512)), { contentType: 'audio/mpeg', upsert: true }))
  const [row] = await add(club, 'young_artist_entries', [
    { ...artist, uploaded_files: [file] },
    { ...artist, entrant_name: 'Grace Boyle' },
  ])
  await must(club.database.from('young_artist_entries').update({ medium: 'Secret ink' }).eq('id', row?.id ?? '').select())
  await must(
    club.database.functions.invoke('send-email', {
      body: { to: 'officer@example.org', subject: 'Young Artist Entry - Isla McPhail', message: '<p>Isla McPhail</p>', name: 'Isla' },
    }),
  )
  await office.goto(`/admin?tab=artist&entry=${row?.id}`)
  await office.getByRole('button', { name: 'Delete' }).click()
  const dialog = office.getByRole('dialog', { name: 'Delete this entry: Isla McPhail' })
  await expect(dialog).toContainText(`Award files: ${file}`)
  await expect(dialog).toContainText(`Music: ${music}`)
  await expect(dialog.getByRole('button', { name: 'Delete for good' })).toBeDisabled()
  await dialog.getByLabel('Type Isla McPhail to confirm').fill('Isla McPhail')
  await dialog.getByRole('button', { name: 'Delete for good' }).click()
  await expect(toast(office, 'Entry deleted for good')).toBeVisible()
  await expect(office.getByRole('dialog')).toHaveCount(0)

  expect(await must(club.database.from('young_artist_entries').select('entrant_name'))).toEqual([{ entrant_name: 'Grace Boyle' }])
  expect((await storage.from(bucket).download(file)).error).not.toBeNull()
  expect((await storage.from('music-uploads').download(music)).error).not.toBeNull()
  const mails = await messagesTo(club.url, 'officer@example.org')
  expect(mails.filter(({ subject }: { subject: string }) => subject.includes('Isla McPhail'))).toEqual([])
  const log = await must(club.database.from('audit_log').select('action, changes, actor_email').eq('record_id', row?.id ?? ''))
  expect(log).toEqual([{ action: 'delete', changes: null, actor_email: club.admin.email }])
})

test('if deleting the files fails, an error is shown and the entry can be deleted again', async ({ office, club }) => {
  const file = 'artist/isla-mcphail/1760000000031-a.png'
  await must(club.database.storage.from(bucket).upload(file, png, { contentType: 'image/png', upsert: true }))
  const [row] = await add(club, 'young_artist_entries', { ...artist, uploaded_files: [file] })
  await office.route('**/storage/v1/object/youth-awards-submissions', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 500, json: { message: 'the store is away' } }) : route.continue(),
  )
  await office.goto(`/admin?tab=artist&entry=${row?.id}`)
  await office.getByRole('button', { name: 'Delete' }).click()
  await office.getByLabel('Type Isla McPhail to confirm').fill('Isla McPhail')
  await office.getByRole('button', { name: 'Delete for good' }).click()
  await expect(toast(office, /The entry is not deleted completely: the store is away/)).toBeVisible()
  expect(await must(club.database.from('young_artist_entries').select('id'))).toHaveLength(1)
})
