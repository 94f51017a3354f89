/** The Young Artist form, as a visitor fills it in. */
import type { Page } from '@playwright/test'
import { answer, choice, choose, expectToast, file } from './site.ts'

/** Fills in all required questions of the form. */
export async function fillArtistForm(page: Page, name: string) {
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

/** Sends an entry with one picture. Returns the link with which the sender can open the entry again. */
export async function sendArtistEntry(page: Page, name: string): Promise<string> {
  await page.goto('/young-artist?view=form')
  await fillArtistForm(page, name)
  await choose(page, [file('first.png', 'image/png', 3000)])
  await expectToast(page, 'Upload successful', '1 file(s)')
  await page.getByRole('button', { name: 'Submit Entry' }).click()
  await expectToast(page, 'Entry submitted', 'Your entry has been submitted successfully!')
  return page.getByLabel('Your link to this entry').inputValue()
}
