/** No input and no click is lost if code cannot be loaded, if the site is deployed again, or if the page could move under the pointer. */
import type { Locator, Page } from '@playwright/test'
import { answer, expect, expectSummary, rows, taken, test } from '../support/site.ts'
import { lane } from '../support/lane.ts'

const answers = {
  'Nominee’s full name': 'Ailsa Sample',
  Age: '17',
  'Parent or guardian’s e-mail': 'parent@example.org',
  'Your name': 'Morag Sample',
  'Your e-mail': 'morag@example.org',
  'Key achievement': 'Ran the beach clean.',
  'Why the nominee deserves the award': 'Nobody asked her to.',
}
const send = (page: Page) => page.getByRole('button', { name: 'Submit Nomination' })

test('a message whose code cannot be loaded is shown without style, and the form stays', async ({ page, site }) => {
  await page.route(/\/assets\/toaster[^/]*\.js/, (route) => route.abort())
  await page.goto('/young-citizen?view=form')
  await answer(page, { ...answers, Age: '30' })
  await send(page).click()
  await expect(page.getByText('Age must be between 11 and 18.').last()).toBeVisible()
  await expect(page.getByLabel('Key achievement')).toHaveValue('Ran the beach clean.')
  await page.getByRole('button', { name: 'Close' }).click()
  await answer(page, { Age: '17' })
  await send(page).click()
  await expect(page.locator('[data-message]')).toContainText('Nomination Submitted!')
  expect(await rows(site, 'young_citizen_nominations')).toHaveLength(1)
})

test('a form whose code cannot be loaded offers a retry in its place', async ({ page }) => {
  await page.goto('/young-citizen')
  await page.route(/\/assets\/CitizenForm[^/]*\.js/, (route) => route.abort())
  await page.getByRole('button', { name: 'Submit a Nomination' }).first().click()
  await expect(page.getByRole('alert')).toContainText('This part of the page could not be fetched.')
  await expect(page.getByRole('link', { name: 'About Us' }).first()).toBeVisible()
  await page.unroute(/\/assets\/CitizenForm[^/]*\.js/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByLabel('Key achievement')).toBeVisible()
})

test('a new version of the site is reported, and loading it keeps what was typed', async ({ page }) => {
  await page.goto('/young-citizen?view=form')
  // Only the loaded app detects a new build.
  await taken(page)
  await answer(page, { 'Your name': 'Morag Sample' })
  await page.route('**/200.html', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace(/\/assets\/index-[\w-]+\.js/, '/assets/index-NEXT.js') })
  })
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByText('This site has been renewed. What you typed is kept.')).toBeVisible()
  await answer(page, { 'Key achievement': 'Typed a moment ago' })
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Load the new site' }).click()])
  await expect(page.getByLabel('Key achievement')).toHaveValue('Typed a moment ago')
  await expect(page.getByLabel('Your name')).toHaveValue('Morag Sample')
  expect(asked).toEqual([])
})

/** Presses and releases the mouse button as a person does: after a short time and at a fixed position, even if the page moves. */
async function press(page: Page, target: Locator) {
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error('nothing to press')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.waitForTimeout(150)
  await page.mouse.up()
}

for (const width of [360, 1280]) {
  test(`the first click after a refusal takes effect, at ${width} pixels`, lane(width === 360), async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/young-artist?view=form')
    await page.getByRole('button', { name: 'Submit Entry' }).click()
    await expect(page.getByRole('group', { name: /need another look/ })).toBeFocused()
    await page.getByLabel('Entrant’s full name').fill('Isla Sample')
    await press(page, page.getByRole('radio', { name: 'they/them' }))
    await expect(page.getByRole('radio', { name: 'they/them' })).toBeChecked()

    await page.getByLabel('Nominee’s name').fill('Rory Sample')
    const chooser = page.waitForEvent('filechooser')
    await press(page, page.getByRole('button', { name: 'Choose files' }))
    await chooser

    // When the user corrects a field, the error beside the field disappears. The summary above keeps its line and adds a tick.
    await expect(page.locator('#field-entrantName-error')).toBeHidden()
    await expect(page.locator('#field-nomineeName-error')).toBeHidden()
    await expect(page.getByRole('link', { name: 'Corrected: Nominee name is required' })).toBeVisible()
  })
}

test('the message of a refusal disappears when all errors are corrected', async ({ page }) => {
  await page.goto('/young-citizen?view=form')
  await answer(page, { ...answers, Age: '30' })
  await send(page).click()
  await expectSummary(page, ['Age must be between 11 and 18.'])
  const message = page.locator('[data-sonner-toast]').filter({ hasText: 'Invalid Age' })
  await expect(message).toBeVisible()
  await answer(page, { Age: '17' })
  await page.getByLabel('Your name').focus()
  await expect(message).toHaveCount(0)
  await expect(page.getByRole('group', { name: /another look/ })).toHaveCount(0)
})
