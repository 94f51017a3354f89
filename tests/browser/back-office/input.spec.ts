/** Forms never cut the user's input or replace it by the stored value. They keep it when the session ends. */
import { add, expect, must, test, toast } from '../support/club.ts'
import { artist } from '../support/entries.ts'

/** Returns the date of the day that is `days` days from now. */
const day = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString().slice(0, 10)

test('a conflict lists the changes of the other admin, and not the user’s own', async ({ office, club }) => {
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org', notes: 'Speaks at the dinner' })
  await office.routeWebSocket(/\/realtime\/v1\//, () => undefined)
  await office.goto('/admin?tab=guests')
  await office.getByRole('button', { name: 'Edit Priya Menon' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByLabel('Phone').fill('01475 630001')
  await must(club.database.from('invited_guests').update({ status: 'accepted' }).eq('name', 'Priya Menon').select())
  await dialog.getByRole('button', { name: 'Save Guest' }).click()
  const notice = dialog.getByRole('alert')
  await expect(notice.getByRole('term')).toHaveText(['Status is now'])
  await expect(notice.getByRole('definition')).toHaveText(['accepted'])
  await notice.getByRole('button', { name: 'Save mine all the same' }).click()
  await expect(toast(office, 'Guest updated successfully')).toBeVisible()
})

test('a second count for a school keeps the notes of the first', async ({ office, club }) => {
  const schools = await add(club, 'schools', [{ name: 'Ashton Academy' }, { name: 'Bay Primary' }])
  await add(club, 'offline_submissions', { school_id: schools[0]?.id, category: 'artist', count: 4, notes: 'In the blue envelope' })
  await office.goto('/admin')
  await office.getByRole('button', { name: 'Offline submissions' }).click()
  const dialog = office.getByRole('dialog', { name: 'Offline Submissions' })
  await dialog.getByLabel('School').selectOption({ label: 'Ashton Academy' })
  await dialog.getByLabel('Category').selectOption({ label: 'Artist' })
  await expect(dialog.getByText('The count is 4 at present.')).toBeVisible()
  await expect(dialog.getByLabel('Notes')).toHaveValue('In the blue envelope')
  // The form for the other school does not show the notes of the first school.
  await dialog.getByLabel('School').selectOption({ label: 'Bay Primary' })
  await expect(dialog.getByLabel('Notes')).toHaveValue('')
  await dialog.getByLabel('School').selectOption({ label: 'Ashton Academy' })
  await dialog.getByLabel('Number of entries').fill('6')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(toast(office, 'Offline submission count saved')).toBeVisible()
  const stored = () => must(club.database.from('offline_submissions').select('count, notes'))
  expect(await stored()).toEqual([{ count: 6, notes: 'In the blue envelope' }])
  // To delete the notes, the user clears the field.
  await dialog.getByLabel('School').selectOption({ label: 'Ashton Academy' })
  await dialog.getByLabel('Category').selectOption({ label: 'Artist' })
  await expect(dialog.getByLabel('Notes')).toHaveValue('In the blue envelope')
  await dialog.getByLabel('Notes').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(stored).toEqual([{ count: 6, notes: null }])
})

test('pasted text that is too long is kept completely, with a message', async ({ office }) => {
  const long = `${'Pasted words. '.repeat(90)}the end`
  await office.goto('/admin?tab=checklist')
  await office.getByRole('button', { name: 'Add Item' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByLabel('Item name').fill('Order the trophies')
  const notes = dialog.getByLabel('Notes')
  await notes.focus()
  await office.evaluate((text) => document.execCommand('insertText', false, text), long)
  await expect(notes).toHaveValue(long)
  await dialog.getByRole('button', { name: 'Add Item' }).click()
  await expect(dialog.getByText('At most 1000 characters')).toBeVisible()
  await expect(notes).toHaveValue(long)
})

test('a pasted address or name in a short field is kept completely, with a message', async ({ office, club }) => {
  await add(club, 'seasons', { name: '2099', deadline_on: day(-1), event_on: day(20) })
  const paste = async (label: string, text: string) => {
    const field = office.getByRole('dialog').getByLabel(label)
    await field.focus()
    await office.evaluate((words) => document.execCommand('insertText', false, words), text)
    await expect(field).toHaveValue(text)
    return field
  }
  await office.goto('/admin?tab=people')
  await office.getByRole('button', { name: 'Invite Admin' }).click()
  const address = `${'a'.repeat(250)}@example.org`
  const email = await paste('Email', address)
  await office.getByRole('button', { name: 'Send Invitation' }).click()
  await expect(email).toHaveAccessibleDescription(/At most 255 characters/)
  await expect(email).toHaveValue(address)

  await office.goto('/admin')
  await office.getByRole('button', { name: 'Make Late Link' }).click()
  const name = await paste('For whom', 'Struan, who was ill. '.repeat(12))
  await office.getByRole('dialog').getByRole('button', { name: 'Make Late Link' }).click()
  await expect(name).toHaveAccessibleDescription(/At most 200 characters/)
  expect(await must(club.database.from('late_links').select('id'))).toEqual([])
})

test('a lost session is reported, leads to the sign-in page, and loses no typed text', async ({ office, club }) => {
  await office.goto('/admin?tab=checklist')
  await office.getByRole('button', { name: 'Add Item' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByLabel('Item name').fill('Order the trophies')
  // Wait for all requests of the page. If the server refused one of them now, the page would show the sign-in form before the test clicks the button.
  await office.waitForLoadState('networkidle')
  await office.evaluate(() => Object.keys(localStorage).filter((key) => key.endsWith('-auth-token')).forEach((key) => localStorage.removeItem(key)))
  await dialog.getByRole('button', { name: 'Add Item' }).click()
  await expect(toast(office, 'Your session has ended. Please sign in again.')).toBeVisible()
  await expect(office.getByText('permission denied')).toHaveCount(0)
  await office.waitForURL(/\/auth/)
  await office.getByLabel('Email').fill(club.admin.email)
  await office.getByLabel('Password').fill(club.admin.password)
  await office.getByRole('button', { name: 'Sign in' }).click()
  await office.waitForURL(/tab=checklist/)
  await office.getByRole('button', { name: 'Add Item' }).click()
  await expect(dialog.getByLabel('Item name')).toHaveValue('Order the trophies')
  expect(await must(club.database.from('event_checklist_items').select('id'))).toEqual([])
})

test('the dialog that deletes an entry distinguishes exports from award files', async ({ office, club }) => {
  const [entry] = await add(club, 'young_artist_entries', artist)
  const path = 'exports/submissions-of-a-test.csv'
  const store = club.database.storage.from('youth-awards-submissions')
  expect((await store.upload(path, 'name', { contentType: 'text/plain', upsert: true })).error).toBeNull()
  await office.goto(`/admin?tab=artist&entry=${entry?.id}`)
  await office.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  const list = office.getByRole('dialog').last().getByRole('listitem')
  await expect(list.filter({ hasText: path })).toHaveText(`Export of all entries: ${path}`)
  await store.remove([path])
})
