import { answer, choice, choose, expect, expectSummary, expectToast, file, mailsTo, mailTo, rows, sent, stored, test } from '../support/site.ts'
import type { Page } from '@playwright/test'

const answers = {
  'Nominee’s full name': 'Ailsa O’Neill',
  Age: '17',
  'Parent or guardian’s e-mail': 'parent@example.org',
  'Your name': 'Morag <b>Blair</b>',
  'Your e-mail': 'morag@example.org',
  'Key achievement': 'Ran the beach clean.\nEvery month.',
  'Why the nominee deserves the award': 'Nobody asked her to.',
}
const table = 'young_citizen_nominations'
const send = (page: Page) => page.getByRole('button', { name: 'Submit Nomination' })

async function open(page: Page) {
  await page.goto('/young-citizen')
  await page.getByRole('button', { name: 'Submit a Nomination' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Young Citizen nomination' })).toBeVisible()
}

test('a nomination is stored: its row, its files, its mail', async ({ page, site }) => {
  await open(page)
  await answer(page, answers)
  const small = file('photo é.png', 'image/png', 40_000)
  const large = file('letter.pdf', 'application/pdf', 7 * 1024 * 1024 + 11)
  await choose(page, [small, large])
  await expectToast(page, 'Upload successful', '2 file(s) uploaded successfully.')
  await expect(page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem')).toContainText(['39.06 KB', '7.00 MB'])
  await send(page).click()
  await expectToast(page, 'Nomination Submitted!', "Thank you for your nomination. We'll review it carefully.")

  const [row] = await rows(site, table)
  const paths = row?.uploaded_files as string[]
  expect(sent(row ?? {})).toEqual({
    nomination_type: 'individual',
    nominee_name: 'Ailsa O’Neill',
    nominee_age: 17,
    nominee_email: null,
    nominee_phone: null,
    parent_guardian_email: 'parent@example.org',
    parent_guardian_phone: null,
    nominator_name: 'Morag <b>Blair</b>',
    nominator_email: 'morag@example.org',
    nominator_phone: null,
    nominator_relationship: null,
    key_achievement: 'Ran the beach clean.\nEvery month.',
    community_impact: null,
    why_deserving: 'Nobody asked her to.',
    // The form does not set this value. An administrator records it later.
    publicity_consent: null,
    uploaded_files: paths,
  })
  expect(paths[0]).toMatch(/^young-citizen\/ailsa-o-neill\/\d{13}-photo e\.png$/)
  expect(paths[1]).toMatch(/^young-citizen\/ailsa-o-neill\/\d{13}-letter\.pdf$/)
  expect(await stored(site, 'youth-awards-submissions', paths[0] ?? '')).toEqual(small.buffer)
  expect((await stored(site, 'youth-awards-submissions', paths[1] ?? '')).equals(large.buffer)).toBe(true)

  const mail = await mailTo(site, 'awards@example.org', /^Young Citizen Award Nomination - Ailsa O’Neill$/)
  expect(mail.html).toContain('Ran the beach clean.<br>Every month.')
  expect(mail.html).not.toContain('<b>Blair</b>')
  expect(mail.reply_to).toBe('morag@example.org')
  await expect(page.getByRole('button', { name: 'Make another nomination' })).toBeVisible()
})

test('missing answers are shown in the toast, above the form, and beside each field', async ({ page, site }) => {
  await open(page)
  await send(page).click()
  await expectToast(page, 'Missing Information', 'Please fill in all required fields.')
  await expectSummary(
    page,
    ['Name of the nominee', 'Age', 'E-mail of the parent or guardian', 'Your name', 'Your e-mail', 'Key achievement', 'Why they deserve the award'].map(
      (field) => `${field} is missing`,
    ),
  )
  await expect(page.getByLabel('Age', { exact: true })).toHaveAccessibleDescription(/Age is missing/)
  expect(await rows(site, table)).toEqual([])
})

test('the summary and the list of parts use the word group for a group', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await open(page)
  const parts = page.getByRole('navigation', { name: 'Parts of this form' })
  await expect(parts.getByRole('link').first()).toHaveText('1. The nominee')
  await choice(page, 'Nomination Type', 'Group')
  await expect(parts.getByRole('link').first()).toHaveText('1. The group')
  await send(page).click()
  const summary = page.getByRole('group', { name: 'Seven answers need another look' })
  await expect(summary.getByRole('link').first()).toHaveText('Name of the group is missing')
  await choice(page, 'Nomination Type', 'Individual')
  await expect(summary.getByRole('link').first()).toHaveText('Name of the nominee is missing')
})

test('a text that is too long is named in the summary; the longest allowed text is saved', async ({ page, site }) => {
  await open(page)
  await answer(page, { ...answers, 'Key achievement': 'a'.repeat(10_001) })
  await send(page).click()
  await expectSummary(page, ['Please keep this to 10000 characters: Key achievement'])
  await answer(page, { 'Key achievement': 'a'.repeat(10_000) })
  await send(page).click()
  await expectToast(page, 'Nomination Submitted!', 'Thank you')
  expect((await rows(site, table))[0]?.key_achievement).toHaveLength(10_000)
})

for (const age of ['10', '19']) {
  test(`the age ${age} is refused`, async ({ page }) => {
    await open(page)
    await answer(page, { ...answers, Age: age })
    await send(page).click()
    await expectToast(page, 'Invalid Age', 'Age must be between 11 and 18.')
    await expectSummary(page, ['Age must be between 11 and 18.'])
  })
}

test('files that are too large or of another type are refused one by one', async ({ page }) => {
  await open(page)
  await choose(page, [
    file('big.pdf', 'application/pdf', 10 * 1024 * 1024 + 1),
    file('page.svg', 'image/svg+xml', 100),
    file('good.txt', 'text/plain', 100),
  ])
  await expectToast(page, 'File too large', 'big.pdf exceeds the 10 MB limit.')
  await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
  await expect(page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem')).toContainText([
    'big.pdf exceeds the 10 MB limit.',
    'page.svg cannot be sent here.',
    'Uploaded',
  ])
})

test('the 51st file is refused, and the other fifty are uploaded', async ({ page, site }) => {
  await open(page)
  await answer(page, answers)
  await choose(
    page,
    Array.from({ length: 51 }, (_, index) => file(`page-${index + 1}.txt`, 'text/plain', 20)),
  )
  await expectToast(page, 'Too many files', 'Not added: there can be at most 50 files.')
  await expectToast(page, 'Upload successful', '50 file(s) uploaded successfully.')
  const last = page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem').last()
  await expect(last).toContainText('page-51.txt')
  await expect(last).toContainText('Not added: there can be at most 50 files.')
  await send(page).click()
  await expectToast(page, 'Nomination Submitted!', 'Thank you')
  expect((await rows(site, table))[0]?.uploaded_files).toHaveLength(50)
})

test('a failed upload can be retried, and the form waits for it', async ({ page, site }) => {
  await open(page)
  await answer(page, answers)
  await page.route('**/storage/v1/object/**', (route) => route.fulfill({ status: 500, json: { statusCode: '500', error: 'x', message: 'x' } }))
  await choose(page, [file('photo.png', 'image/png', 100)])
  await expectToast(page, 'Upload failed', 'There was an error uploading your files. Please try again.')
  await send(page).click()
  await expectSummary(page, ['Please wait until every file is uploaded, or remove the ones that are not.'])
  expect(await rows(site, table)).toEqual([])
  await page.unroute('**/storage/v1/object/**')
  await page.getByRole('button', { name: 'Try photo.png again' }).click()
  await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
  await send(page).click()
  await expectToast(page, 'Nomination Submitted!', 'Thank you')
  expect((await rows(site, table))[0]?.uploaded_files).toHaveLength(1)
})

test('if the record is refused, every answer is kept and no mail is sent', async ({ page, site }) => {
  await open(page)
  await answer(page, { ...answers, 'Nominee’s full name': 'Never Mailed' })
  await page.route('**/rest/v1/**', (route) => route.fulfill({ status: 500, json: { message: 'no' } }))
  await send(page).click()
  await expectToast(page, 'Error', 'Failed to save nomination. Please try again.')
  await expect(page.getByLabel('Key achievement')).toHaveValue('Ran the beach clean.\nEvery month.')
  const subjects = (await mailsTo(site, 'awards@example.org')).map(({ subject }: { subject: string }) => subject)
  expect(subjects).not.toContain('Young Citizen Award Nomination - Never Mailed')
})

test('a lost response does not cause a second entry', async ({ page, site }) => {
  await open(page)
  await answer(page, answers)
  await page.route('**/rest/v1/**', async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  await send(page).click()
  await expectToast(page, 'Error', 'Failed to save nomination. Please try again.')
  await page.unroute('**/rest/v1/**')
  await send(page).click()
  await expectToast(page, 'Nomination Submitted!', 'Thank you')
  expect(await rows(site, table)).toHaveLength(1)
})

test('the mail is sent even if the browser cannot request it', async ({ page, site }) => {
  await page.route('**/functions/v1/**', (route) => route.abort())
  await open(page)
  await answer(page, { ...answers, 'Nominee’s full name': 'Mail Anyway' })
  await send(page).click()
  await expectToast(page, 'Error', 'Failed to submit nomination. Please try again.')
  expect(await rows(site, table)).toHaveLength(1)
  await mailTo(site, 'awards@example.org', /^Young Citizen Award Nomination - Mail Anyway$/)
})

test('a double click creates one entry', async ({ page, site }) => {
  await open(page)
  await answer(page, answers)
  await send(page).dblclick()
  await expectToast(page, 'Nomination Submitted!', 'Thank you')
  expect(await rows(site, table)).toHaveLength(1)
})

test('a draft survives a reload, and leaving the page asks for confirmation', async ({ page }) => {
  await open(page)
  await answer(page, { 'Your name': 'Morag Blair' })
  await expect(page.getByText('Draft kept on this device').first()).toBeAttached()
  await page.getByRole('button', { name: 'Back to Young Citizen Awards' }).click()
  await page.getByRole('dialog', { name: 'Leave this form?' }).getByRole('button', { name: 'Stay on this page' }).click()
  await expect(page.getByLabel('Your name')).toHaveValue('Morag Blair')
  await page.getByRole('button', { name: 'Back to Young Citizen Awards' }).click()
  await page.getByRole('button', { name: 'Leave', exact: true }).click()
  await page.getByRole('button', { name: 'Submit a Nomination' }).first().click()
  await expect(page.getByLabel('Your name')).toHaveValue('Morag Blair')
  await page.getByRole('button', { name: 'Clear the draft' }).filter({ visible: true }).click()
  await expect(page.getByLabel('Your name')).toHaveValue('')
})
