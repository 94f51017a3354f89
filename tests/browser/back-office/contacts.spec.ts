import type { Page } from '@playwright/test'
import { add, expect, must, signedIn, test, toast, type Club } from '../support/club.ts'

const contactsTab = '/admin?tab=contacts'

async function people(club: Club) {
  const [ashton, kempock] = await add(club, 'schools', [{ name: 'Ashton Academy' }, { name: 'Kempock High School' }])
  const [art, music] = await add(club, 'departments', [
    { name: 'Art', school_id: ashton?.id },
    { name: 'Music', school_id: kempock?.id },
  ])
  const [morven, gregor] = await add(club, 'contacts', [
    { name: 'Morven Abernethy', department_id: art?.id, status: 'declined', email: 'morven@example.org' },
    { name: 'Gregor Lindsay', department_id: music?.id },
  ])
  await must(
    club.database.from('contact_departments').insert([
      { contact_id: morven?.id, department_id: art?.id },
      { contact_id: morven?.id, department_id: music?.id },
      { contact_id: gregor?.id, department_id: music?.id },
    ]),
  )
  return { ashton, kempock, art, music, morven, gregor }
}

async function part(office: Page, name: RegExp) {
  await office.goto(contactsTab)
  await office.getByRole('tab', { name }).click()
}

test('the empty states', async ({ office }) => {
  await office.goto(contactsTab)
  await expect(office.getByText('No contacts yet. Add your first contact to start tracking.')).toBeVisible()
  await office.getByRole('tab', { name: 'Departments (0)' }).click()
  await expect(office.getByText('No departments yet. Add your first department.')).toBeVisible()
  await office.getByRole('tab', { name: 'Schools (0)' }).click()
  await expect(office.getByText('No schools yet. Add your first school to start tracking contacts.')).toBeVisible()
})

test('a school: refused, added, edited', async ({ office, club }) => {
  await part(office, /^Schools/)
  await office.getByRole('button', { name: 'Add School' }).first().click()
  const dialog = office.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill('nonsense')
  await dialog.getByRole('button', { name: 'Add School' }).click()
  await expect(dialog).toContainText('School name is required')
  await expect(dialog).toContainText('Invalid email')
  await dialog.getByLabel('School name').fill('Ashton Academy')
  await dialog.getByRole('textbox', { name: 'Email' }).fill('')
  await dialog.getByRole('button', { name: 'Add School' }).click()
  await expect(toast(office, 'School added successfully')).toBeVisible()
  expect(await must(club.database.from('schools').select('name, email, location, notes'))).toEqual([
    { name: 'Ashton Academy', email: null, location: null, notes: null },
  ])
  await office.getByRole('button', { name: 'Edit Ashton Academy' }).click()
  await office.getByLabel('Location').fill('Gourock')
  await office.getByRole('button', { name: 'Save School' }).click()
  await expect(toast(office, 'School updated successfully')).toBeVisible()
  await expect(office.getByRole('article')).toContainText('Gourock')
})

test('a department: refused, added, edited', async ({ office, club }) => {
  await add(club, 'schools', { name: 'Ashton Academy' })
  await part(office, /^Departments/)
  await office.getByRole('button', { name: 'Add Department' }).first().click()
  const dialog = office.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add Department' }).click()
  await expect(dialog).toContainText('Please select a school')
  await expect(dialog).toContainText('Department name is required')
  await dialog.getByLabel('School').selectOption({ label: 'Ashton Academy' })
  await dialog.getByLabel('Department name').fill('Art and Design')
  await dialog.getByRole('button', { name: 'Add Department' }).click()
  await expect(toast(office, 'Department added successfully')).toBeVisible()
  await office.getByRole('button', { name: 'Edit Art and Design' }).click()
  await office.getByLabel('Notes').fill('Very keen')
  await office.getByRole('button', { name: 'Save Department' }).click()
  await expect(toast(office, 'Department updated successfully')).toBeVisible()
  await expect(office.getByRole('article')).toContainText('Very keen')
})

test('a contact: refused, added with two departments, shown under both schools', async ({ office, club }) => {
  const { art, music } = await people(club)
  await office.goto(contactsTab)
  await office.getByRole('button', { name: 'Add Contact' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add Contact' }).click()
  await expect(dialog).toContainText('Please select at least one department')
  await expect(dialog).toContainText('Contact name is required')
  await dialog.getByLabel('Contact name').fill('Shona Petrie')
  await dialog.getByRole('checkbox', { name: /Music · Kempock/ }).check()
  await dialog.getByRole('checkbox', { name: /Art · Ashton/ }).check()
  await dialog.getByLabel('Status').selectOption({ label: 'Ready for Collection' })
  await dialog.getByRole('button', { name: 'Add Contact' }).click()
  await expect(toast(office, 'Contact added successfully')).toBeVisible()
  await expect(office.getByRole('article').filter({ hasText: 'Shona Petrie' })).toHaveCount(2)
  await expect(office.getByRole('article').filter({ hasText: 'Shona Petrie' }).first()).toContainText('No position specified')
  const rows = await must(
    club.database.from('contacts').select('department_id, status, contact_departments(department_id)').eq('name', 'Shona Petrie'),
  )
  // The department that the visitor ticked first becomes the main department.
  expect(rows[0]).toMatchObject({ status: 'ready_for_collection', department_id: music?.id })
  expect(rows[0]?.contact_departments.map((link) => link.department_id).sort()).toEqual([art?.id, music?.id].sort())
})

test('filters: by school, by department, by status, and clear', async ({ office, club }) => {
  await people(club)
  await office.goto(contactsTab)
  await expect(office.getByText('Showing 2 of 2 contacts')).toBeVisible()
  await expect(office.getByLabel('Department')).toBeDisabled()
  await expect(office.getByRole('button', { name: 'Clear' })).toHaveCount(0)
  await office.getByLabel('School').selectOption({ label: 'Ashton Academy' })
  await expect(office.getByText('Showing 1 of 2 contacts')).toBeVisible()
  await expect(office.getByLabel('Department').getByRole('option')).toHaveText(['All departments', 'Art'])
  await office.getByLabel('Status').selectOption({ label: 'No Response' })
  await expect(office.getByText('No contacts match the selected filters.')).toBeVisible()
  await office.reload()
  await expect(office.getByText('No contacts match the selected filters.')).toBeVisible()
  await office.getByRole('button', { name: 'Clear' }).click()
  await expect(office.getByText('Showing 2 of 2 contacts')).toBeVisible()
})

test('merging schools moves all their data', async ({ office, club }) => {
  const { ashton, kempock } = await people(club)
  await part(office, /^Schools/)
  await office.getByRole('button', { name: 'Merge Schools' }).click()
  const dialog = office.getByRole('dialog', { name: 'Merge Schools' })
  const merge = dialog.getByRole('button', { name: 'Merge Schools' })
  await expect(dialog).toContainText('Please select at least 2 schools to merge')
  await expect(merge).toBeDisabled()
  await dialog.getByRole('checkbox', { name: 'Ashton Academy' }).check()
  await dialog.getByRole('checkbox', { name: 'Kempock High School' }).check()
  await expect(dialog).toContainText('Please select the canonical school')
  await expect(merge).toBeDisabled()
  await dialog.getByRole('radio', { name: 'Kempock High School' }).check()
  await merge.click()
  await expect(toast(office, 'Merged 2 schools successfully')).toBeVisible()
  expect(await must(club.database.from('schools').select('id'))).toEqual([{ id: kempock?.id }])
  const departments = await must(club.database.from('departments').select('school_id'))
  expect(departments.map((row) => row.school_id)).not.toContain(ashton?.id)
})

test('merging departments and contacts', async ({ office, club }) => {
  const { art, morven } = await people(club)
  await part(office, /^Departments/)
  await office.getByRole('button', { name: 'Merge Departments' }).click()
  let dialog = office.getByRole('dialog', { name: 'Merge Departments' })
  await expect(dialog).toContainText('Please select at least 2 departments to merge')
  await dialog.getByRole('checkbox', { name: /Art/ }).check()
  await dialog.getByRole('checkbox', { name: /Music/ }).check()
  await expect(dialog).toContainText('Please select which department to keep')
  await dialog.getByRole('radio', { name: /Art/ }).check()
  await dialog.getByRole('button', { name: 'Merge Departments' }).click()
  await expect(toast(office, 'Merged 1 duplicate department(s)')).toBeVisible()
  expect(await must(club.database.from('departments').select('id'))).toEqual([{ id: art?.id }])

  await office.getByRole('tab', { name: /^Contacts \(/ }).click()
  await office.getByRole('button', { name: 'Merge Contacts' }).click()
  dialog = office.getByRole('dialog', { name: 'Merge Contacts' })
  await expect(dialog).toContainText('Please select at least 2 contacts to merge')
  await dialog.getByRole('checkbox', { name: /Morven/ }).check()
  await dialog.getByRole('checkbox', { name: /Gregor/ }).check()
  await expect(dialog).toContainText('Please select which contact to keep')
  await dialog.getByRole('radio', { name: /Morven/ }).check()
  await dialog.getByRole('button', { name: 'Merge Contacts' }).click()
  await expect(toast(office, 'Merged 1 duplicate contact(s)')).toBeVisible()
  expect(await must(club.database.from('contacts').select('id'))).toEqual([{ id: morven?.id }])
})

test('a failed merge changes nothing and shows an error', async ({ office, club }) => {
  await people(club)
  await office.route('**/rest/v1/rpc/merge_contacts', (route) => route.abort())
  await office.goto(contactsTab)
  await office.getByRole('button', { name: 'Merge Contacts' }).click()
  const dialog = office.getByRole('dialog', { name: 'Merge Contacts' })
  await dialog.getByRole('checkbox', { name: /Morven/ }).check()
  await dialog.getByRole('checkbox', { name: /Gregor/ }).check()
  await dialog.getByRole('radio', { name: /Morven/ }).check()
  await dialog.getByRole('button', { name: 'Merge Contacts' }).click()
  await expect(toast(office, 'Error')).toBeVisible()
  expect(await must(club.database.from('contacts').select('id'))).toHaveLength(2)
})

test('two admins edit one contact: the second sees the first one’s change before anything is lost', async ({ browser, office, club }) => {
  await people(club)
  const other = await signedIn(browser, club, club.admin)
  for (const page of [office, other]) {
    await page.goto(contactsTab)
    await page.getByRole('button', { name: 'Edit Gregor Lindsay' }).click()
  }
  await other.getByLabel('Phone').fill('01475 630001')
  await other.getByRole('button', { name: 'Save Contact' }).click()
  await expect(toast(other, 'Contact updated successfully')).toBeVisible()

  await office.getByLabel('Position').fill('Faculty Head')
  await office.getByRole('button', { name: 'Save Contact' }).click()
  const notice = office.getByRole('dialog').getByRole('alert')
  await expect(notice).toContainText('Somebody else has changed this record in the meantime.')
  await expect(notice).toContainText('Phone is now')
  await expect(notice).toContainText('01475 630001')
  const before = await must(club.database.from('contacts').select('phone, position').eq('name', 'Gregor Lindsay'))
  expect(before).toEqual([{ phone: '01475 630001', position: null }])

  await notice.getByRole('button', { name: 'Take over their version' }).click()
  await office.getByLabel('Position').fill('Faculty Head')
  await office.getByRole('button', { name: 'Save Contact' }).click()
  await expect(toast(office, 'Contact updated successfully')).toBeVisible()
  const after = await must(club.database.from('contacts').select('phone, position').eq('name', 'Gregor Lindsay'))
  expect(after).toEqual([{ phone: '01475 630001', position: 'Faculty Head' }])
  await other.context().close()
})

test('typed text is discarded only after a confirmation', async ({ office }) => {
  await part(office, /^Schools/)
  await office.getByRole('button', { name: 'Add School' }).first().click()
  await office.getByLabel('School name').fill('Half a na')
  await office.keyboard.press('Escape')
  await expect(office.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible()
  await office.getByRole('button', { name: 'Go on editing' }).click()
  await expect(office.getByLabel('School name')).toHaveValue('Half a na')
  await office.keyboard.press('Escape')
  await office.getByRole('button', { name: 'Leave' }).click()
  await expect(office.getByRole('dialog')).toHaveCount(0)
})
