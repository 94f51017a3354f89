/** The page keeps the user's input when the user is in a hurry or chooses a wrong file. */
import type { Page } from '@playwright/test'
import { answer, choose, expect, expectToast, file, rows, test } from '../support/site.ts'

test('what was typed a moment before going back is kept, after a question', async ({ page }) => {
  await page.goto('/young-citizen')
  await page.getByRole('button', { name: 'Submit a Nomination' }).first().click()
  const name = page.getByLabel('Your name')
  await name.click()
  await page.keyboard.type('Morag S')
  await page.evaluate(() => history.back())
  await page.getByRole('dialog', { name: 'Leave this form?' }).getByRole('button', { name: 'Leave' }).click()
  await expect(name).toHaveCount(0)
  await page.getByRole('button', { name: 'Submit a Nomination' }).first().click()
  await expect(name).toHaveValue('Morag S')
})

const list = (page: Page) => page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem')

for (const [size, bytes] of [['small', 3000], ['large', 7 * 1024 * 1024]] as const) {
  test(`a ${size} file whose content does not match its type says so, and can only be removed`, async ({ page, site }) => {
    await page.goto('/young-citizen?view=form')
    await answer(page, {
      'Nominee’s full name': 'Ailsa Sample',
      Age: '17',
      'Parent or guardian’s e-mail': 'parent@example.org',
      'Your name': 'Morag Sample',
      'Your e-mail': 'morag@example.org',
      'Key achievement': 'Ran the beach clean.',
      'Why the nominee deserves the award': 'Nobody asked her to.',
    })
    await choose(page, [{ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.alloc(bytes, 'words') }, file('letter.txt', 'text/plain', 100)])
    await expectToast(page, 'Invalid file type', 'The content of photo.png does not match its type.')
    const wrong = list(page).filter({ hasText: 'photo.png' })
    await expect(wrong).toContainText('does not match its type')
    await expect(wrong.getByRole('button')).toHaveText(['Remove'])
    await expect(list(page).filter({ hasText: 'letter.txt' })).toContainText('Uploaded')
    await wrong.getByRole('button', { name: 'Remove photo.png' }).click()
    await expect(list(page)).toHaveCount(1)
    await expect(page.locator('[data-sonner-toast]').filter({ hasText: 'Invalid file type' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Submit Nomination' }).click()
    await expect.poll(async () => (await rows(site, 'young_citizen_nominations')).length).toBe(1)
  })
}

test('an upload that failed has one clear button', async ({ page }) => {
  await page.goto('/young-citizen?view=form')
  await page.route('**/storage/v1/object/**', (route) => route.fulfill({ status: 500, json: { statusCode: '500', error: 'x', message: 'x' } }))
  await choose(page, [file('photo.png', 'image/png', 100)])
  await expect(list(page).getByRole('button', { name: 'Try photo.png again' })).toHaveText('Try again')
  await page.unroute('**/storage/v1/object/**')
  await list(page).getByRole('button', { name: 'Try photo.png again' }).click()
  await expect(list(page)).toContainText('Uploaded')
})
