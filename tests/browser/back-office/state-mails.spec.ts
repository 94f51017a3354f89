/** The mails that the server sends when an entry changes its state: shortlisted, invited, winner, thanked. */
import { messageTo, messagesTo } from '../../support/inbox.mjs'
import { violations } from '../support/axe.ts'
import { add, expect, must, test, toast, unfold, type Club } from '../support/club.ts'
import { artist } from '../support/entries.ts'

async function scene(club: Club) {
  const address = (name: string) => `${name}-${Date.now()}@example.org`
  const [ann, bob, cat] = await add(club, 'young_artist_entries', [
    { ...artist, entrant_name: 'Ann Alder', parent_guardian_email: address('ann'), junior_ranking: 1 },
    { ...artist, entrant_name: 'Bob Birch', parent_guardian_email: address('bob') },
    { ...artist, entrant_name: 'Cat Cedar', parent_guardian_email: address('cat'), withdrawn_at: new Date().toISOString() },
  ] as (typeof artist & { junior_ranking?: number; withdrawn_at?: string })[])
  if (!ann || !bob || !cat) throw new Error('The entries were not added.')
  return { ann, bob, cat }
}

test('a mail is edited, previewed with the data of an entry, and sent once; a withdrawn entry gets none', async ({ office, club }) => {
  const { ann, bob, cat } = await scene(club)
  const [before] = await must(club.database.from('mail_templates').select('subject, body').eq('state', 'winner'))
  await office.goto('/admin?tab=artist')
  await unfold(office)
  await office.getByRole('button', { name: 'Send Mails' }).click()
  const dialog = office.getByRole('dialog', { name: 'Mails: Young Artist' })
  await expect(dialog.getByRole('button', { name: 'Send to 0 Entries' })).toBeDisabled()
  await expect(dialog.getByText('Cat Cedar')).toHaveCount(0)
  await dialog.getByLabel('Mail', { exact: true }).selectOption('winner')
  await dialog.getByRole('checkbox', { name: /^Ann Alder, 1st place/ }).check()
  await expect(dialog.getByRole('region', { name: 'Preview for Ann Alder' })).toContainText(ann.parent_guardian_email)

  await dialog.getByRole('button', { name: 'Edit the text' }).click()
  const form = office.getByRole('dialog', { name: 'Edit mail: Winner' })
  await form.getByLabel('Subject').fill('')
  await form.getByRole('button', { name: 'Save Template' }).click()
  await expect(form).toContainText('Subject is missing')
  await form.getByLabel('Subject').fill('{name} has won: {result}')
  await form.getByRole('button', { name: 'Save Template' }).click()
  await expect(toast(office, 'Template updated successfully')).toBeVisible()
  await expect(dialog.getByRole('region', { name: 'Preview for Ann Alder' })).toContainText('Ann Alder has won: 1st place')

  await dialog.getByRole('button', { name: 'Send to 1 Entry' }).click()
  await expect(toast(office, '1 mail is being sent.')).toBeVisible()
  await expect(dialog.getByRole('checkbox', { name: /^Ann Alder.*has it already/ })).toBeDisabled()
  const mail = await messageTo(club.url, ann.parent_guardian_email, /has won/)
  expect(mail.subject).toBe('Ann Alder has won: 1st place')

  // Meanwhile, another admin has sent the mail to Bob, and Bob's family has withdrawn the entry. The page still shows the old state.
  await dialog.getByRole('checkbox', { name: /^Bob Birch/ }).check()
  await must(club.database.from('young_artist_entries').update({ withdrawn_at: new Date().toISOString() }).eq('id', bob.id).select())
  await dialog.getByRole('button', { name: 'Send to 1 Entry' }).click()
  await expect(toast(office, /0 mails are being sent. Withdrawn, so not sent: Bob Birch/)).toBeVisible()
  expect(await messagesTo(club.url, bob.parent_guardian_email)).toEqual([])
  expect(await messagesTo(club.url, cat.parent_guardian_email)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).first().click()
  await expect(office.getByText('Winner', { exact: true }).first()).toBeVisible()
  await must(club.database.from('mail_templates').update(before ?? {}).eq('state', 'winner').select())
})

test('if Send is pressed again, the page lists who already has the mail', async ({ office, club }) => {
  const { ann } = await scene(club)
  await office.goto('/admin?tab=artist')
  await unfold(office)
  await office.getByRole('button', { name: 'Send Mails' }).click()
  const dialog = office.getByRole('dialog', { name: 'Mails: Young Artist' })
  await dialog.getByRole('checkbox', { name: /^All that do not have it yet/ }).check()
  await must(club.database.rpc('send_state_mails', { award: 'artist', entries: [ann.id], state: 'shortlisted' }))
  await dialog.getByRole('button', { name: /^Send to/ }).click()
  await expect(toast(office, 'Had it already: Ann Alder.').or(toast(office, '1 mail is being sent.')).first()).toBeVisible()
  await expect(dialog.getByRole('checkbox', { name: /^All that do not have it yet \(0\)/ })).toBeDisabled()
  const rows = await must(club.database.from('entry_mails').select('entry').eq('state', 'shortlisted'))
  expect(rows).toHaveLength(2)
})

test('the receipt of an entry is shown as the server sends it, and can be neither sent nor edited', async ({ office, club }) => {
  const { ann, bob } = await scene(club)
  await office.goto('/admin?tab=artist')
  await unfold(office)
  await office.getByRole('button', { name: 'Send Mails' }).click()
  const dialog = office.getByRole('dialog', { name: 'Mails: Young Artist' })
  await dialog.getByLabel('Mail', { exact: true }).selectOption('received')
  await expect(dialog.getByLabel('Mail', { exact: true })).toHaveAccessibleDescription(/^The server sends the receipt by itself when an entry arrives/i)
  await expect(dialog.getByRole('button', { name: /^(Send to|Edit)/ })).toHaveCount(0)
  await dialog.getByLabel('Entry', { exact: true }).selectOption('Bob Birch')
  const preview = dialog.getByRole('region', { name: 'Preview for Bob Birch' })
  await expect(preview).toContainText(bob.parent_guardian_email)
  await expect(preview).toContainText('We have received a Young Artist entry')
  await expect(preview).toContainText(`Reference ${bob.id.replaceAll('-', '').slice(0, 8).toUpperCase()}.`)
  await expect(preview).not.toContainText('Birch')
  await dialog.getByLabel('Entry', { exact: true }).selectOption('Ann Alder')
  await expect(dialog.getByRole('region', { name: 'Preview for Ann Alder' })).toContainText(ann.parent_guardian_email)
  expect(await violations(office)).toEqual([])
  expect(await messagesTo(club.url, bob.parent_guardian_email)).toEqual([])
})
