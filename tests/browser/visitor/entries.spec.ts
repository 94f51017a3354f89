/** The entry forms of musicians, photographers and artists. */
import type { Page } from '@playwright/test'
import { answer, choice, choose, expect, expectSummary, expectToast, file, mailTo, rows, sent, stored, test, withoutConfig } from '../support/site.ts'

const bucket = 'youth-awards-submissions'
const open = (page: Page, award: string) => page.goto(`/${award}?view=form`)
const send = (page: Page, name: string) => page.getByRole('button', { name }).click()
const serverError = { status: 500, json: { message: 'no' } }

test.describe('Young Musician', () => {
  const answers = {
    'Full name': 'Rory Sample',
    Age: '14',
    School: 'Sample High School',
    Instrument: 'Fiddle',
    'First piece': 'Air by A. Composer',
    'Parent or guardian’s e-mail': 'parent@example.org',
    'Parent or guardian’s telephone': '01475 000000',
    Signature: 'P. Sample',
  }
  const fill = async (page: Page, changes: Record<string, string> = {}) => {
    await open(page, 'young-musician')
    await choice(page, 'Performance type', 'Instrumental')
    await answer(page, { ...answers, ...changes })
  }

  test('an entry arrives', async ({ page, site }) => {
    await fill(page, {
      'Third piece (optional)': 'Reel by B. Composer',
      'Accompanist’s name (optional)': 'C. Sample',
      'Allergies (optional)': 'Nuts',
      'Nominator’s name (optional)': 'Ms Teacher',
      'Nominator’s e-mail (optional)': 'teacher@example.org',
    })
    const recording = file('take.mp3', 'audio/mpeg', 50_000)
    await choose(page, [recording])
    await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
    await send(page, 'Submit Application')
    await expectToast(page, 'Entry submitted!', "Thank you. We'll be in touch with details.")
    const [row] = await rows(site, 'young_musician_entries')
    const paths = row?.uploaded_files as string[]
    expect(paths).toEqual([expect.stringMatching(/^musician\/rory-sample\/\d{13}-take\.mp3$/)])
    expect(await stored(site, bucket, paths[0] ?? '')).toEqual(recording.buffer)
    expect(sent(row ?? {})).toEqual({
      entrant_name: 'Rory Sample',
      age: 14,
      email: 'parent@example.org',
      phone: '01475 000000',
      school: 'Sample High School',
      category: 'instrumental',
      instrument: 'Fiddle',
      teacher_name: 'Ms Teacher',
      teacher_position: null,
      teacher_email: 'teacher@example.org',
      teacher_phone: '',
      parent_guardian_name: '',
      parent_guardian_email: 'parent@example.org',
      parent_guardian_phone: '01475 000000',
      piece_title: 'Air by A. Composer; Reel by B. Composer',
      composer: '',
      piece_duration: '',
      music_selections: ['Air by A. Composer', 'Reel by B. Composer'],
      accompanist_required: true,
      accompanist_name: 'C. Sample',
      special_requirements: 'Allergies: Nuts',
      publicity_consent: null,
      signature: 'P. Sample',
      uploaded_files: paths,
    })
    const mail = await mailTo(site, 'awards@example.org', /^Young Musician Entry - Rory Sample$/)
    expect(mail.html).toContain('<strong>Publicity:</strong> Not specified')
    expect(mail.reply_to).toBe('parent@example.org')
  })

  test('reports music first, then the age, then missing answers', async ({ page, site }) => {
    await open(page, 'young-musician')
    await send(page, 'Submit Application')
    await expectToast(page, 'Missing music selection', 'Please provide at least one piece title and composer.')
    await answer(page, { 'First piece': 'A piece' })
    await send(page, 'Submit Application')
    await expectToast(page, 'Invalid age', 'Age must be between 11 and 18.')
    await answer(page, { Age: '18' })
    await send(page, 'Submit Application')
    await expectToast(page, 'Missing information', 'Please complete all required fields.')
    expect(await rows(site, 'young_musician_entries')).toEqual([])
  })

  test('requires the instrument of a player', async ({ page }) => {
    await fill(page, { Instrument: '' })
    await send(page, 'Submit Application')
    await expectToast(page, 'Missing information', 'Please complete all required fields.')
    await expectSummary(page, ['Instrument is missing'])
  })

  test('shows that it could not be saved', async ({ page }) => {
    await fill(page)
    await page.route('**/rest/v1/**', (route) => route.fulfill(serverError))
    await send(page, 'Submit Application')
    await expectToast(page, 'Error', 'Failed to save entry. Please try again.')
  })
})

test('an unexpected error is shown as such, and the retry succeeds', async ({ page, site }) => {
  await withoutConfig(page, '/young-musician?view=form')
  await open(page, 'young-musician')
  await choice(page, 'Performance type', 'Vocal')
  await answer(page, {
    'Full name': 'Rory Sample',
    Age: '14',
    School: 'Sample High School',
    'First piece': 'Air by A. Composer',
    'Parent or guardian’s e-mail': 'parent@example.org',
    'Parent or guardian’s telephone': '01475 000000',
    Signature: 'P. Sample',
  })
  await send(page, 'Submit Application')
  await expectToast(page, 'Error', 'Something went wrong. Please try again.')
  await page.unroute('**/_/config.json')
  await send(page, 'Submit Application')
  await expectToast(page, 'Entry submitted!', 'Thank you')
  expect(await rows(site, 'young_musician_entries')).toHaveLength(1)
})

test.describe('Young Photographer', () => {
  const fill = async (page: Page) => {
    await open(page, 'young-photographer')
    await answer(page, {
      'Entrant’s full name': 'Isla Sample',
      Age: '13',
      'School, college or community organisation': 'Sample Academy',
      'Title of the picture (optional)': 'The pier',
      'Camera or device': 'Old phone',
      'How the picture relates to the theme': 'The pier in the rain.',
      'Nominator’s name': 'Ms Teacher',
      'Nominator’s e-mail': 'teacher@example.org',
      'Parent or guardian’s e-mail': 'parent@example.org',
      'Parent or guardian’s phone': '01475 000000',
    })
    await choice(page, 'Preferred pronouns', 'she/her')
    await choice(page, 'Category', 'Intermediate')
    await choice(page, 'auxiliary lens', 'No')
    await choice(page, 'edited with software', 'Yes')
    await choice(page, 'publicity', 'Disagree')
  }

  test('an entry arrives', async ({ page, site }) => {
    await fill(page)
    await choose(page, [file('pier.jpg', 'image/jpeg', 30_000)])
    await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
    await send(page, 'Submit Entry')
    await expectToast(
      page,
      'Entry Submitted Successfully',
      'Thank you for your entry to the Young Photographer Awards. We will be in touch soon.',
    )
    const [row] = await rows(site, 'young_photographer_entries')
    expect(row).toMatchObject({
      entrant_name: 'Isla Sample',
      age: 13,
      email: 'parent@example.org',
      phone: '01475 000000',
      school: 'Sample Academy',
      teacher_name: 'Ms Teacher',
      teacher_email: 'teacher@example.org',
      category: 'intermediate',
      photo_title: 'The pier',
      photo_description: 'The pier in the rain.',
      camera_equipment: 'Old phone',
      preferred_pronoun: 'she/her',
      auxiliary_lens_used: 'no',
      image_edited: 'yes',
      publicity_consent: 'disagree',
    })
    expect(row?.uploaded_files).toEqual([expect.stringMatching(/^artist\/isla-sample\/\d{13}-pier\.jpg$/)])
    const mail = await mailTo(site, 'officer@example.org', /^Young Photographer Entry - Isla Sample$/)
    expect(mail.html).toContain('Age as at 31st August 2025')
    expect(mail.reply_to).toBe('parent@example.org')
  })

  test('reports every wrong field of an empty form', async ({ page, site }) => {
    await open(page, 'young-photographer')
    await send(page, 'Submit Entry')
    await expectSummary(page, [
      'Entrant name must be at least 2 characters',
      'Minimum age is 11',
      'Please select preferred pronouns',
      'Please specify school, college, or organisation',
      'Please select a category',
      'Please specify camera or device make and model',
      'Please specify if auxiliary lens or filters were used',
      'Please specify if the image has been edited with software',
      'Please provide a description of at least 10 characters',
      'Nominator name must be at least 2 characters',
      'Please enter a valid email address: Nominator’s e-mail',
      'Please enter a valid email address: Parent or guardian’s e-mail',
      'Please enter a valid phone number',
      'Please indicate your consent for publicity',
    ])
    expect(await rows(site, 'young_photographer_entries')).toEqual([])
  })

  test('shows that it could not be saved', async ({ page }) => {
    await fill(page)
    await page.route('**/rest/v1/**', (route) => route.abort())
    await send(page, 'Submit Entry')
    await expectToast(page, 'Submission Error', 'There was an error saving your entry. Please try again.')
  })
})

test.describe('Young Artist', () => {
  const fill = async (page: Page) => {
    await open(page, 'young-artist')
    await answer(page, {
      'Entrant’s full name': 'Struan Sample',
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

  test('an entry arrives, without an answer on publicity', async ({ page, site }) => {
    await fill(page)
    await send(page, 'Submit Entry')
    await expectToast(page, 'Entry submitted', 'Your entry has been submitted successfully!')
    const [row] = await rows(site, 'young_artist_entries')
    expect(row).toMatchObject({
      entrant_name: 'Struan Sample',
      age: 9,
      email: 'rory@example.org',
      school: 'private entry',
      category: 'junior',
      artwork_title: '',
      artwork_description: 'A wood full of birds.',
      parent_guardian_name: 'Morag Sample',
      parent_guardian_email: 'morag@example.org',
      preferred_pronoun: 'they/them',
      publicity_consent: null,
      uploaded_files: [],
    })
    const mail = await mailTo(site, 'officer@example.org', /^Young Artist Entry - Struan Sample$/)
    expect(mail.reply_to).toBe('morag@example.org')
  })

  test('reports every wrong field of an empty form', async ({ page }) => {
    await open(page, 'young-artist')
    await send(page, 'Submit Entry')
    await expectSummary(page, [
      'Entrant name is required',
      'Age must be between 5 and 17',
      'Please select preferred pronouns',
      'Please specify school/college/organisation or private entry',
      'Please select a category',
      'Nominee name is required',
      'Please enter a valid email address: Nominee’s e-mail',
      'Please provide at least a few sentences describing the relationship to the theme',
      'Parent/Guardian name is required',
      'Please enter a valid email address: Parent or guardian’s e-mail',
    ])
  })

  test('shows that it could not be saved', async ({ page }) => {
    await fill(page)
    await page.route('**/rest/v1/**', (route) => route.fulfill(serverError))
    await send(page, 'Submit Entry')
    await expectToast(page, 'Error', 'There was an error saving your entry. Please try again.')
  })
})
