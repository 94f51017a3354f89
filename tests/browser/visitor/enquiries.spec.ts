/** The forms for contact, getting involved, corporate enquiries, additional files and music. */
import type { Page } from '@playwright/test'
import { answer, choose, expect, expectSummary, expectToast, file, mailSource, mailTo, stored, test } from '../support/site.ts'

const serverError = { status: 500, json: { message: 'no' } }
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const missing = 'Please fill in all required fields'

for (const path of ['/contact', '/get-involved']) {
  test.describe(`the form of ${path}`, () => {
    const message = { Name: `Ailsa of ${path.slice(1)}`, 'E-mail': 'ailsa@example.org', Message: 'Hello.\nMay I <visit>?' }

    test('sends the message to the club, and is empty again', async ({ page, site }) => {
      await page.goto(path)
      await answer(page, message)
      await press(page, 'Submit Form')
      await expectToast(page, 'Message Sent!', "Thank you for your message. We'll get back to you soon.")
      await expect(page.getByLabel('Message')).toHaveValue('')
      const mail = await mailTo(site, 'club@example.org', new RegExp(`^Contact Form Submission from ${message.Name}$`))
      expect(mail.html).toContain('<strong>Phone:</strong> Not provided')
      expect(mail.html).toContain('Hello.<br>May I &lt;visit&gt;?')
      expect(mail.html).toContain('sent through the club website contact form')
      // When the club replies to the mail, the reply goes to the visitor. Both the record and the mail's headers contain this address.
      expect(mail.reply_to).toBe('ailsa@example.org')
      expect(await mailSource(site, mail.id)).toMatch(/^Reply-To: .*ailsa@example\.org/m)
    })

    test('shows what is missing', async ({ page }) => {
      await page.goto(path)
      await press(page, 'Submit Form')
      await expectToast(page, 'Missing Information', `${missing}.`)
      await expectSummary(page, ['Your name is missing', 'Your e-mail is missing', 'Your message is missing'])
    })

    test('keeps the message if it cannot be sent', async ({ page }) => {
      await page.goto(path)
      await answer(page, message)
      await page.route('**/functions/v1/send-email', (route) => route.fulfill(serverError))
      await press(page, 'Submit Form')
      await expectToast(page, 'Error', 'Failed to send message. Please try again.')
      await expect(page.getByLabel('Message')).toHaveValue(message.Message)
    })
  })
}

test('a corporate enquiry reaches the club', async ({ page, site }) => {
  await page.goto('/corporate-membership')
  await press(page, 'Send Enquiry')
  await expectToast(page, 'Missing Information', `${missing}.`)
  await answer(page, { Company: 'Sample Ltd', 'Contact name': 'Ailsa', 'E-mail': 'a@example.org', Message: 'Tell us more.' })
  await press(page, 'Send Enquiry')
  await expectToast(page, 'Message Sent!', 'Thank you')
  const mail = await mailTo(site, 'club@example.org', /^Corporate Membership Enquiry from Sample Ltd$/)
  expect(mail.html).toContain('<strong>Number of people:</strong> Not provided')
  expect(mail.reply_to).toBe('a@example.org')
})

test.describe('additional files', () => {
  test('require an entrant, an organisation and a file, in this order', async ({ page, site }) => {
    await page.goto('/awards-uploads')
    await press(page, 'Submit Files')
    await expectToast(page, 'Missing Information', `${missing}.`)
    await answer(page, { 'Name of the entrant': 'Isla Sample', 'School or organisation': 'Sample Academy' })
    await press(page, 'Submit Files')
    await expectToast(page, 'No Files Uploaded', 'Please upload at least one file before submitting.')
    const notes = file('notes.txt', 'text/plain', 1000)
    await choose(page, [notes])
    await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
    await press(page, 'Submit Files')
    await expectToast(
      page,
      'Files Submitted Successfully!',
      "Your additional files have been sent. We'll review them with your original entry.",
    )
    for (const address of ['awards@example.org', 'officer@example.org']) {
      await mailTo(site, address, /^Youth Awards - Additional Files - Isla Sample$/)
    }
  })

  test('stay in the form if they cannot be saved', async ({ page }) => {
    await page.goto('/awards-uploads')
    await answer(page, { 'Name of the entrant': 'Isla Sample', 'School or organisation': 'Sample Academy' })
    await choose(page, [file('notes.txt', 'text/plain', 10)])
    await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
    await page.route('**/rest/v1/extra_files', (route) => route.fulfill(serverError))
    await press(page, 'Submit Files')
    await expectToast(page, 'Error', 'Failed to submit files. Please try again.')
    await expect(page.getByRole('list', { name: 'Chosen files' })).toContainText('notes.txt')
  })
})

test.describe('music', () => {
  test('is uploaded file by file into the private bucket', async ({ page, site }) => {
    await page.goto('/upload-music')
    await press(page, 'Upload')
    await expectToast(page, 'Nominee required', "Please enter the nominee's name.")
    await answer(page, { 'Nominee’s name': 'Rory Sample' })
    await press(page, 'Upload')
    await expectToast(page, 'No files', 'Please add one or more audio files.')
    const take = file('take 1.mp3', 'audio/mpeg', 3000)
    await choose(page, [take, file('score.pdf', 'application/pdf', 10)])
    await expectToast(page, 'Invalid file type', 'score.pdf is not an audio file.')
    await choose(page, [file('long.wav', 'audio/wav', 10 * 1024 * 1024 + 1)])
    await expectToast(page, 'File too large', 'long.wav exceeds 10MB limit.')
    await press(page, 'Upload')
    await expectToast(page, 'Upload complete', '1 file(s) uploaded successfully.')
    await expect(page.getByLabel('Nominee’s name')).toHaveValue('')
    await expect(page.getByRole('list', { name: 'Chosen files' })).toBeHidden()
    const { data } = await site.database.storage.from('music-uploads').list('rory-sample')
    expect(data?.map(({ name }) => name)).toEqual([expect.stringMatching(/^\d{13}-take 1\.mp3$/)])
    expect(await stored(site, 'music-uploads', `rory-sample/${data?.[0]?.name}`)).toEqual(take.buffer)
  })

  test('that fails is counted and kept, and a retry sends only this file', async ({ page, site }) => {
    await page.goto('/upload-music')
    await answer(page, { 'Nominee’s name': 'Half Way' })
    await choose(page, [file('good.mp3', 'audio/mpeg', 10), file('bad.mp3', 'audio/mpeg', 10)])
    await expect(page.getByRole('list', { name: 'Chosen files' })).toContainText('bad.mp3')
    const bad = /music-uploads\/.*bad\.mp3/
    await page.route(bad, (route) => route.fulfill({ status: 500, json: { statusCode: '500', error: 'x', message: 'x' } }))
    await press(page, 'Upload')
    await expectToast(page, 'Some uploads failed', '1 of 2 file(s) failed. Please retry.')
    await expect(page.getByLabel('Nominee’s name')).toHaveValue('Half Way')
    await page.unroute(bad)
    await press(page, 'Upload')
    await expectToast(page, 'Upload complete', '1 file(s) uploaded successfully.')
    const { data } = await site.database.storage.from('music-uploads').list('half-way')
    expect(data).toHaveLength(2)
  })
})
