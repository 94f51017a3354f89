/** Tests reminders before the last day for entries: their recipients and text, and that an address gets only one mail a day. */
import { messageTo, messagesTo } from '../../support/inbox.mjs'
import { add, expect, must, test, toast, type Club } from '../support/club.ts'
import { artist } from '../support/entries.ts'
import { day } from '../support/seasons.ts'

const lastDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${day(10)}T00:00:00Z`))

async function scene(club: Club) {
  await add(club, 'seasons', { name: 'Season of reminders', opens_on: day(-20), deadline_on: day(10), event_on: day(30) })
  const [silent, busy] = await add(club, 'schools', [{ name: 'Silent High', email: null }, { name: 'Busy High', email: 'office@busy.example.org' }])
  const [department] = await add(club, 'departments', [{ school_id: silent?.id, name: 'Art' }])
  const head = `head-${Date.now()}@silent.example.org`
  await add(club, 'contacts', [{ name: 'Morag Head', email: head, department_id: department?.id }])
  const parent = `parent-${Date.now()}@example.org`
  await add(club, 'young_artist_entries', [
    { ...artist, entrant_name: 'Ann Alder', parent_guardian_email: parent, school_id: busy?.id, uploaded_files: [] },
    { ...artist, entrant_name: 'Bob Birch', parent_guardian_email: parent.toUpperCase(), school_id: busy?.id, uploaded_files: [] },
    { ...artist, entrant_name: 'Cat Cedar', parent_guardian_email: 'a..b@example.org', school_id: busy?.id, uploaded_files: [] },
  ])
  return { head, parent }
}

test('a group is listed and previewed, each address gets one mail, and another one on the same day only if that is confirmed', async ({ office, club }) => {
  const { head, parent } = await scene(club)
  await office.goto('/admin?tab=summary')
  await office.getByRole('button', { name: 'Send Reminders' }).click()
  const dialog = office.getByRole('dialog', { name: /^Reminders before/ })
  await expect(dialog.getByRole('option')).toHaveText([/^Schools that have sent nothing \(1\)/, /^Entries without a picture \(2\)/, /^Entries without an answer/])
  await expect(dialog.getByRole('region', { name: 'Preview for Morag Head' })).toContainText(`Entries are open until the end of ${lastDay} (in 10 days)`)
  await expect(dialog.getByRole('region', { name: 'Preview for Morag Head' })).toContainText('Silent High')
  await dialog.getByRole('button', { name: 'Send 1 Reminder' }).click()
  await expect(toast(office, '1 reminder is being sent.')).toBeVisible()
  expect((await messageTo(club.url, head, /^Youth awards: entries are open until/)).subject).toContain(lastDay)
  await expect(dialog.getByText(/^Last reminded on/)).toBeVisible()

  // All recipients were reminded on the same day: none is selected, and the button is disabled until the confirmation.
  await expect(dialog.getByRole('button', { name: 'Send 0 Reminders' })).toBeDisabled()
  await dialog.getByRole('checkbox', { name: /^Morag Head/ }).check()
  await expect(dialog.getByRole('button', { name: 'Send 1 Reminder' })).toBeDisabled()
  await dialog.getByRole('checkbox', { name: /reminded in the last 24 hours. Remind again/ }).check()
  await dialog.getByRole('button', { name: 'Send 1 Reminder' }).click()
  await expect.poll(async () => (await messagesTo(club.url, head)).length).toBe(2)

  // Two entries with one address: one mail, which lists both. The entry with a wrong address is named.
  await dialog.getByLabel('Group').selectOption('files')
  const recipients = dialog.getByRole('group', { name: 'Recipients' }).last()
  await expect(recipients.getByRole('checkbox')).toHaveCount(2)
  await expect(recipients.getByRole('checkbox', { name: /^Cat Cedar.*No mail can be sent to this address/s })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Edit the text' }).click()
  const form = office.getByRole('dialog', { name: 'Edit mail: Entries without a picture' })
  const before = { subject: await form.getByLabel('Subject').inputValue(), body: await form.getByLabel('Message').inputValue() }
  await form.getByLabel('Subject').fill('A picture is missing: {name}')
  await form.getByRole('button', { name: 'Save Template' }).click()
  await expect(dialog.getByRole('region', { name: /^Preview for/ })).toContainText('A picture is missing: Ann Alder, Bob Birch')
  await dialog.getByRole('button', { name: 'Send 1 Reminder' }).click()
  await expect(toast(office, '1 reminder is being sent.').last()).toBeVisible()
  await expect.poll(async () => (await messagesTo(club.url, parent)).map(({ subject }: { subject: string }) => subject)).toEqual(['A picture is missing: Ann Alder, Bob Birch'])
  await must(club.database.from('mail_templates').update(before).eq('state', 'reminder_files').select())

  await dialog.getByRole('button', { name: 'Close' }).first().click()
  const sent = office.getByRole('region', { name: 'Reminders' })
  await expect(sent).toContainText('Schools that have sent nothing')
  await expect(sent).toContainText(club.admin.email)
})

test('after the last day no reminder can be sent, even from a page that was opened before', async ({ office, club }) => {
  const { head } = await scene(club)
  await office.goto('/admin?tab=summary')
  await office.getByRole('button', { name: 'Send Reminders' }).click()
  const dialog = office.getByRole('dialog', { name: /^Reminders before/ })
  await expect(dialog.getByRole('button', { name: 'Send 1 Reminder' })).toBeEnabled()
  await must(club.database.from('seasons').update({ deadline_on: day(-1) }).eq('name', 'Season of reminders').select())
  // If the page has already received the change, it has closed the dialog.
  await dialog.getByRole('button', { name: 'Send 1 Reminder' }).click({ timeout: 2000 }).catch(() => undefined)
  await office.reload()
  await expect(office.getByText('Reminders can be sent while entries are open')).toBeVisible()
  await expect(office.getByRole('button', { name: 'Send Reminders' })).toHaveCount(0)
  expect(await messagesTo(club.url, head)).toEqual([])
})
