/** The page keeps the user's input when the user is in a hurry or chooses a wrong file. */
import type { Page } from '@playwright/test'
import { answer, choose, expect, expectToast, file, rows, test } from '../support/site.ts'

test('text that was typed just before going back is kept, after a confirmation', async ({ page }) => {
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
  test(`a ${size} file whose content does not match its type shows this, and can only be removed`, async ({ page, site }) => {
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

/** Delays the app's script, as drawn-forms.spec.ts does. @returns a function that lets the script load */
async function hold(page: Page): Promise<() => void> {
  let letGo: () => void = () => undefined
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await page.route('**/assets/react-*.js', async (route) => {
    await held
    await route.continue()
  })
  return letGo
}

/** Returns the text of the field that has the focus, with brackets around the selection. */
const selection = (page: Page) =>
  page.evaluate(() => {
    const field = document.activeElement
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return undefined
    const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? 0]
    return `${field.value.slice(0, start)}[${field.value.slice(start, end)}]${field.value.slice(end)}`
  })

test('a kept answer in the focused field is selected, so typing replaces it; typed text keeps the caret’s position', async ({ page }) => {
  await page.goto('/young-citizen?view=form')
  await page.getByLabel('Your name').fill('Morag Sample')
  await page.getByLabel('Key achievement').fill('Ran the beach clean.')
  await expect(page.getByText('Draft kept on this device').filter({ visible: true })).toBeVisible()
  page.on('dialog', (dialog) => void dialog.accept())

  // A visitor returns to the page, and puts the caret into a field before the app is loaded.
  let letGo = await hold(page)
  await page.reload()
  await page.getByLabel('Your name').focus()
  letGo()
  await expect(page.getByLabel('Key achievement')).toHaveValue('Ran the beach clean.')
  await expect.poll(() => selection(page)).toBe('[Morag Sample]')
  await page.keyboard.type('Isla')
  await expect(page.getByLabel('Your name')).toHaveValue('Isla')
  await expect(page.getByLabel('Key achievement')).toHaveValue('Ran the beach clean.')
  await page.getByLabel('Key achievement').focus()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('draft:young-citizen'))).toContain('"Isla"')

  // The visitor has already typed, and has moved the caret back into the text.
  await page.unroute('**/assets/react-*.js')
  letGo = await hold(page)
  await page.reload()
  await page.getByLabel('Your name').pressSequentially('Una Quarrie')
  await page.getByLabel('Your name').evaluate((field: HTMLInputElement) => field.setSelectionRange(3, 3))
  letGo()
  await expect(page.getByLabel('Key achievement')).toHaveValue('Ran the beach clean.')
  await expect.poll(() => selection(page)).toBe('Una[] Quarrie')
  await page.keyboard.type(' M.')
  await expect(page.getByLabel('Your name')).toHaveValue('Una M. Quarrie')
})
