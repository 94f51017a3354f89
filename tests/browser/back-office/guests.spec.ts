import { messagesTo } from '../../support/inbox.mjs'
import { add, expect, must, test, toast } from '../support/club.ts'

const guests = '/admin?tab=guests'

test('guests: empty list, refused, added, edited, deleted, restored', async ({ office, club }) => {
  await office.goto(guests)
  await expect(office.getByText('No guests found')).toBeVisible()
  await expect(office.getByText('Total: 0 guests')).toBeVisible()
  await office.getByRole('button', { name: 'Add Guest' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add Guest' }).click()
  await expect(dialog).toContainText('Name is required')
  await dialog.getByLabel('Name').fill('Captain Ewan Soutar')
  await dialog.getByRole('textbox', { name: 'Email' }).fill('ewan@example.org')
  await dialog.getByRole('button', { name: 'Add Guest' }).click()
  await expect(toast(office, 'Guest added successfully')).toBeVisible()

  await office.getByRole('button', { name: 'Edit Captain Ewan Soutar' }).click()
  await office.getByRole('dialog').getByLabel('Status').selectOption({ label: 'Accepted' })
  await office.getByRole('button', { name: 'Save Guest' }).click()
  await expect(toast(office, 'Guest updated successfully')).toBeVisible()
  await expect(office.getByRole('button', { name: 'Accepted 1 guest' })).toBeVisible()

  await office.getByRole('button', { name: 'Delete Captain Ewan Soutar' }).click()
  const question = office.getByRole('alertdialog', { name: 'Are you sure you want to delete this guest?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await must(club.database.from('invited_guests').select('id'))).toHaveLength(1)
  await office.getByRole('button', { name: 'Delete Captain Ewan Soutar' }).click()
  await question.getByRole('button', { name: 'Delete guest' }).click()
  await expect(toast(office, 'Guest deleted successfully')).toBeVisible()
  await office.getByRole('button', { name: 'Undo' }).click()
  await expect(office.getByRole('row', { name: /Captain Ewan Soutar/ })).toBeVisible()
})

test('groups in order, select all, the flat list of a status, search', async ({ office, club }) => {
  await add(club, 'invited_guests', [
    { name: 'Ann Declined', status: 'declined' },
    { name: 'Bob Invited', status: 'invited', organization: 'Harbour Trust' },
    { name: 'Cat Accepted', status: 'accepted' },
    { name: 'Dan Invited', status: 'invited' },
  ])
  await office.goto(guests)
  await expect(office.getByRole('heading', { level: 2 })).toHaveText([/Accepted\s*1 guest/, /Invited\s*2 guests/, /Declined\s*1 guest/])
  await office.getByRole('checkbox', { name: 'Select all: Invited' }).check()
  await expect(office.getByRole('button', { name: 'Email Selected (2)' })).toBeVisible()
  await office.getByLabel('Status').selectOption({ label: 'Invited' })
  await expect(office.getByText('Total: 2 guests (filtered by invited)')).toBeVisible()
  await expect(office.getByRole('table')).toHaveCount(1)
  await office.getByRole('searchbox', { name: 'Search guests' }).fill('harbour')
  await expect(office.getByText('Total: 1 guests (filtered by invited)')).toBeVisible()
})

test('a spreadsheet is previewed with its errors by line, then imported completely', async ({ office, club }) => {
  await add(club, 'invited_guests', { name: 'Already Here', email: 'here@example.org' })
  await office.goto(guests)
  await office.getByRole('button', { name: 'Import CSV' }).click()
  const dialog = office.getByRole('dialog', { name: 'Import CSV' })
  const text = [
    'Name;Email;Phone;Organization;Status;Notes',
    '"Soutar; Ewan";ewan@example.org;01475 1;"Western\r\nFerries";ACCEPTED;',
    '',
    ';nobody@example.org;;;;',
    'Wrong Mail;not-a-mail;;;;',
    'Odd Status;;;;perhaps;',
    'Zo\u00eb Caf\u00e9;here@example.org;;;;"said ""yes"""',
  ].join('\r\n')
  // A CSV file in the format that Excel uses by default.
  await dialog.getByLabel('File').setInputFiles({ name: 'guests.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') })
  await expect(dialog).toContainText('2 of 5 lines can be imported; 3 will be left out')
  await expect(dialog.getByRole('row', { name: /^5 - Error: name: Name is required/ })).toBeVisible()
  await expect(dialog.getByRole('row', { name: /^6 Wrong Mail Error: email: Invalid email/ })).toBeVisible()
  await expect(dialog.getByRole('row', { name: /^7 Odd Status Error: status:/ })).toBeVisible()
  await expect(dialog.getByRole('row', { name: /^8 Zoë Café/ })).toContainText('on the list already')
  expect(await must(club.database.from('invited_guests').select('id'))).toHaveLength(1)
  await dialog.getByRole('button', { name: 'Import 2 guests' }).click()
  await expect(toast(office, 'Imported 2 guests successfully')).toBeVisible()
  const rows = await must(club.database.from('invited_guests').select('name, organization, status, notes').order('name'))
  expect(rows).toEqual([
    { name: 'Already Here', organization: null, status: 'invited', notes: null },
    { name: 'Soutar; Ewan', organization: 'Western\r\nFerries', status: 'accepted', notes: null },
    { name: 'Zoë Café', organization: null, status: 'invited', notes: 'said "yes"' },
  ])
})

test('a letter to one guest: drafted, edited, refused while empty, sent', async ({ office, club }) => {
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
  await office.goto(guests)
  await office.getByRole('button', { name: 'Email Priya Menon' }).click()
  const dialog = office.getByRole('dialog', { name: 'Send Email' })
  await expect(dialog.getByLabel('Message')).toHaveValue(/Priya Menon/)
  await expect(dialog.getByLabel('Subject')).not.toBeEditable()
  await expect(dialog.getByLabel('Subject')).toHaveValue('Following up on our invitation from Gourock Service Club')
  await dialog.getByLabel('Message').fill('  ')
  await dialog.getByRole('button', { name: 'Send Email' }).click()
  await expect(toast(office, 'Please provide an email message')).toBeVisible()
  await dialog.getByLabel('Message').fill('Dear Priya,\n\nplease come.')
  await dialog.getByRole('button', { name: 'Send Email' }).click()
  await expect(toast(office, 'Email sent to Priya Menon')).toBeVisible()
  const [message] = await messagesTo(club.url, 'priya@example.org')
  expect(message.html).toContain('please come.')
  expect(message.subject).toBe('Following up on our invitation from Gourock Service Club')
})

test('AI is named only if a model wrote the text; a template is called a template', async ({ office, club }) => {
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
  await office.goto(guests)
  const dialog = office.getByRole('dialog', { name: 'Send Email' })
  await office.getByRole('button', { name: 'Email Priya Menon' }).click()
  await expect(dialog.getByText('This text is the club’s template; no AI has written it.')).toBeVisible()
  await expect(dialog.getByText('generated by AI')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await office.route('**/functions/v1/send-guest-email', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), source: 'ai' } })
  })
  await office.getByRole('button', { name: 'Email Priya Menon' }).click()
  await expect(dialog.getByText('This text was generated by AI. You can edit it before sending.')).toBeVisible()
})

test('a failed draft closes the dialog; a failed letter keeps it open', async ({ office, club }) => {
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
  await office.goto(guests)
  let failing = true
  await office.route('**/functions/v1/send-guest-email', (route) =>
    failing ? route.fulfill({ status: 502, json: { error: 'away' } }) : route.continue(),
  )
  await office.getByRole('button', { name: 'Email Priya Menon' }).click()
  await expect(toast(office, 'Failed to generate email')).toBeVisible()
  await expect(office.getByRole('dialog')).toHaveCount(0)
  failing = false
  await office.getByRole('button', { name: 'Email Priya Menon' }).click()
  await expect(office.getByLabel('Message')).toHaveValue(/Priya/)
  failing = true
  await office.getByRole('button', { name: 'Send Email' }).click()
  await expect(toast(office, 'Failed to send email')).toBeVisible()
  await expect(office.getByLabel('Message')).toHaveValue(/Priya/)
})

test('a letter to many guests: some are skipped, it is stopped and continued, and nobody gets it twice', async ({ office, club }) => {
  const named = Array.from({ length: 5 }, (_, index) => ({ name: `Guest ${index}`, email: `guest${index}@example.org` }))
  await add(club, 'invited_guests', [...named, { name: 'No Mail', email: null as unknown as string }])
  await office.goto(guests)
  await office.getByRole('button', { name: 'Email Selected (0)' }).click()
  await expect(toast(office, 'Please select guests with valid email addresses')).toBeVisible()
  // An error message stays until the user closes it, and may cover the buttons of the first group.
  await office.getByRole('button', { name: 'Close' }).click()
  await office.getByRole('checkbox', { name: 'Select all: Invited' }).check()
  await office.getByRole('button', { name: 'Email Selected (6)' }).click()
  await expect(toast(office, '1 guest(s) skipped due to missing or invalid email addresses')).toBeVisible()
  await expect(office.getByLabel('Message')).toHaveValue(/\{guest\}/)
  await office.getByRole('button', { name: 'Send to 5 Guests' }).click()
  await expect(office.getByText('Sending: 2 of 5 emails')).toBeVisible()
  await office.getByRole('button', { name: 'Stop' }).click()
  await expect(office.getByText(/Stopped: \d of 5 emails/)).toBeVisible()
  // The form keeps its input across a reload.
  await office.reload()
  await office.getByRole('button', { name: /Go on with the other/ }).click()
  await expect(toast(office, /Sent 5 email\(s\) successfully/)).toBeVisible({ timeout: 15_000 })
  const letters = await must(club.database.from('guest_letters').select('email, message').order('email'))
  expect(letters.map((letter) => letter.email)).toEqual(named.map((guest) => guest.email))
  expect(letters[3]?.message).toContain('Guest 3')
})

test('a letter whose response is lost is not sent again, and a failed letter is listed', async ({ office, club }) => {
  await add(club, 'invited_guests', [
    { name: 'Lost Answer', email: 'lost@example.org' },
    { name: 'Never Arrives', email: 'never@example.org' },
  ])
  await office.goto(guests)
  await office.getByRole('checkbox', { name: 'Select all: Invited' }).check()
  await office.getByRole('button', { name: 'Email Selected (2)' }).click()
  await expect(office.getByLabel('Message')).toHaveValue(/\{guest\}/)
  await office.route('**/functions/v1/send-guest-email', async (route) => {
    if (route.request().postData()?.includes('never@example.org')) return route.abort()
    await route.fetch()
    return route.abort()
  })
  await office.getByRole('button', { name: 'Send to 2 Guests' }).click()
  await expect(toast(office, 'Failed to send to: Never Arrives')).toBeVisible()
  await expect(toast(office, 'Sent 1 email(s) successfully')).toBeVisible()
  expect(await must(club.database.from('guest_letters').select('email'))).toEqual([{ email: 'lost@example.org' }])
})
