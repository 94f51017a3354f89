/** Special cases of a submission: names that change, files that are added later, a signed-in user. */
import type { Page } from '@playwright/test'
import { answer, choice, choose, expect, expectToast, file, mailTo, rows, test, type Site } from '../support/site.ts'

const fill = async (page: Page, name: string) => {
  await answer(page, {
    'Entrant’s full name': name,
    Age: '9',
    'School, college or community organisation': 'private entry',
    'Nominee’s name': 'Rory Sample',
    'Nominee’s e-mail': 'rory@example.org',
    'How your work relates to the theme, Happiness in Nature': 'A wood full of birds.',
    'Parent or guardian’s name': 'Morag Sample',
    'Parent or guardian’s e-mail': 'morag@example.org',
  })
  await choice(page, 'Preferred pronouns', 'they/them')
  await choice(page, 'Category', 'Junior')
}
const send = (page: Page) => page.getByRole('button', { name: 'Submit Entry' }).click()
const picture = (name: string) => file(name, 'image/png', 3000)

test('if the name is changed between two uploads, the files stay together, and the mail contains both', async ({ page, site }) => {
  await page.goto('/young-artist?view=form')
  await fill(page, 'Isla Smith')
  await choose(page, [picture('first.png')])
  await expectToast(page, 'Upload successful', '1 file(s)')
  await answer(page, { 'Entrant’s full name': 'Isla Smythe' })
  await choose(page, [picture('second.png')])
  await expect(page.getByRole('list', { name: 'Chosen files' }).getByText('Uploaded')).toHaveCount(2)
  // The draft also stores the paths of the uploaded files.
  await expect.poll(() => page.evaluate(() => localStorage.getItem('draft:young-artist') ?? '')).toContain('second.png')
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByLabel('Entrant’s full name'), 'the name of the draft').toHaveValue('Isla Smythe')
  await answer(page, { 'Entrant’s full name': 'Isla Smyth' })
  await choose(page, [picture('third.png')])
  await expect(page.getByRole('list', { name: 'Chosen files' }).getByText('Uploaded')).toHaveCount(3)
  await send(page)
  await expectToast(page, 'Entry submitted', 'Your entry has been submitted successfully!')
  const [row] = await rows(site, 'young_artist_entries')
  const folders = (row?.uploaded_files as string[]).map((path) => path.slice(0, path.lastIndexOf('/')))
  expect(folders).toEqual(Array(3).fill('artist/isla-smith'))
  const mail = await mailTo(site, 'officer@example.org', /^Young Artist Entry - Isla Smyth$/)
  expect(await attached(site, mail.id)).toEqual(['first.png', 'second.png', 'third.png'])
})

test('additional files and recordings are recorded, and the club gets a mail about both', async ({ page, site }) => {
  await page.goto('/awards-uploads')
  await answer(page, { 'Name of the entrant': 'Eilidh Extra', 'School or organisation': 'Sample Academy' })
  await choose(page, [picture('more.png')])
  await expectToast(page, 'Upload successful', '1 file(s)')
  await page.getByRole('button', { name: 'Submit Files' }).click()
  await expectToast(page, 'Files Submitted Successfully!', "Your additional files have been sent. We'll review them with your original entry.")
  for (const address of ['awards@example.org', 'officer@example.org']) {
    const mail = await mailTo(site, address, /^Youth Awards - Additional Files - Eilidh Extra$/)
    expect(await attached(site, mail.id)).toEqual(['more.png'])
  }

  await page.goto('/upload-music')
  await answer(page, { 'Nominee’s name': 'Calum Extra' })
  await choose(page, [file('take.mp3', 'audio/mpeg', 3000)])
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expectToast(page, 'Upload complete', '1 file(s) uploaded successfully.')
  const mail = await mailTo(site, 'awards@example.org', /^Youth Awards - Recordings - Calum Extra$/)
  expect(await attached(site, mail.id)).toEqual(['take.mp3'])
  const found = (await rows(site, 'extra_files')).filter(({ entrant_name }) => /Extra$/.test(String(entrant_name)))
  expect(found.map(({ kind, entrant_name }) => [kind, entrant_name]).sort()).toEqual([['additional', 'Eilidh Extra'], ['music', 'Calum Extra']])
})

test('an account without the role can use the forms like any visitor, and can sign out on the page that refuses it', async ({ page, site }) => {
  const email = 'member@example.org'
  const password = 'a quiet harbour 27'
  const made = await site.database.auth.admin.createUser({ email, password, email_confirm: true })
  expect(made.error).toBeNull()
  await page.goto('/auth')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expectToast(page, 'Access Denied', "You don't have admin privileges")
  await page.goto('/young-artist?view=form')
  await fill(page, 'Ailsa Member')
  await choose(page, [picture('mine.png')])
  await expectToast(page, 'Upload successful', '1 file(s)')
  await send(page)
  await expectToast(page, 'Entry submitted', 'Your entry has been submitted successfully!')
  expect(await rows(site, 'young_artist_entries')).toHaveLength(1)

  await page.goto('/contact')
  await answer(page, { Name: 'Ailsa', 'E-mail': 'ailsa@example.org', Message: 'May I come?' })
  await page.getByRole('button', { name: 'Submit Form' }).click()
  await expectToast(page, 'Message Sent!', 'Thank you')

  await page.goto('/admin')
  await expectToast(page, 'Access Denied', "You don't have admin privileges")
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Admin Login' })).toBeVisible()
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.endsWith('-auth-token')))).toEqual([])
})

/** Returns the names of a mail's attachments. */
async function attached(site: Site, id: string): Promise<string[]> {
  const answered = await fetch(`${site.url}/_/inbox/api/messages/${id}`)
  const { attachments } = (await answered.json()) as { attachments: { filename: string }[] }
  return attachments.map(({ filename }) => filename).sort()
}
