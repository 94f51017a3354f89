/**
 * The user completes every form with the keyboard alone, from its page to the confirmation. The form is refused once, corrected through the links in
 * the summary, completed and sent.
 */
import type { Locator, Page } from '@playwright/test'
import { expect, taken, test } from '../support/site.ts'
import { forms, type Form, type Step } from '../support/forms.ts'

/** Maximum number of Tab presses. No page needs more. */
const patience = 150

/** Expects that the focused element is visible and has a focus indicator. */
async function expectShown(page: Page) {
  const focus = await page.evaluate(() => {
    const element = document.activeElement
    if (!element || element === document.body) return 'nothing has the focus'
    // The box around a radio button shows that the radio button has the focus.
    const box = (element.closest('label') ?? element).getBoundingClientRect()
    const name = `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 40)} ${element.id}`
    const inside = box.bottom > 0 && box.top < window.innerHeight && box.right > 0 && box.left < window.innerWidth
    if (!inside || box.width === 0) return `${name} is out of sight`
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const rings = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
    return rings ? undefined : `${name} does not show that it has the focus`
  })
  expect(focus).toBeUndefined()
}

/** Presses Tab until one of the elements has the focus. */
async function tabTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  for (let stop = 0; stop < patience; stop += 1) {
    if (await wanted.evaluateAll((elements) => elements.includes(document.activeElement as HTMLElement))) return
    await page.keyboard.press(key)
    await expectShown(page)
  }
  throw new Error(`${wanted.toString()} was not reached with ${key}`)
}

async function perform(page: Page, form: Locator, step: Step) {
  if ('field' in step) {
    await tabTo(page, form.getByLabel(step.field, { exact: true }))
    await page.keyboard.type(step.type)
  } else if ('group' in step) {
    const group = form.getByRole('group', { name: step.group, exact: true })
    const wanted = group.getByRole('radio', { name: step.choose, exact: true })
    await tabTo(page, group.getByRole('radio'))
    // An arrow key moves to the next option and selects it; Space selects the focused option.
    await page.keyboard.press('Space')
    const answers = await group.getByRole('radio').count()
    for (let turn = 0; turn < answers && !(await wanted.isChecked()); turn += 1) await page.keyboard.press('ArrowDown')
    await expect(wanted).toBeChecked()
  } else {
    await tabTo(page, form.getByRole('button', { name: step.button, exact: true }))
    const picker = page.waitForEvent('filechooser')
    await page.keyboard.press('Enter')
    await (await picker).setFiles(step.file)
    const row = form.getByRole('list', { name: 'Chosen files' }).getByRole('listitem').filter({ hasText: step.file.name })
    await expect(row).toContainText(/Uploaded|Ready to upload/)
  }
}

async function open(page: Page, { path, open: button, name }: Form): Promise<Locator> {
  await page.goto(path)
  const form = page.getByRole('form', { name, exact: true })
  if (button === undefined) {
    await form.waitFor()
    // The first focusable element of every page is a link that skips the menus.
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
    await page.keyboard.press('Enter')
    return form
  }
  await taken(page)
  await tabTo(page, page.getByRole('button', { name: button, exact: true }).first())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name })).toBeFocused()
  await form.waitFor()
  return form
}

for (const entry of forms) {
  test(`${entry.name} by keyboard alone`, async ({ page }) => {
    test.setTimeout(120_000)
    // The listener must exist before the key is pressed, because the file chooser opens faster than a listener could be added afterwards.
    page.on('filechooser', () => undefined)
    const form = await open(page, entry)
    const submit = form.getByRole('button', { name: entry.submit, exact: true })

    await tabTo(page, submit)
    await page.keyboard.press('Enter')
    const summary = form.getByRole('group', { name: /needs? another look/ })
    await expect(summary).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(summary.getByRole('link').first()).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(form.locator(':focus')).toHaveAttribute('aria-invalid', 'true')

    // Continues at the first question, whichever question was wrong.
    await tabTo(page, form.locator('input:not([type=file]), textarea').first(), 'Shift+Tab')
    for (const step of entry.steps) await perform(page, form, step)
    await tabTo(page, submit)
    await page.keyboard.press('Enter')
    await expect(page.locator('[data-sonner-toast]').filter({ hasText: entry.done }).first()).toBeVisible()
    await expectShownAfter(page, entry)
  })
}

/** Expects that the focus is on a message or a control after a form was sent, and not at the top of the document. */
async function expectShownAfter(page: Page, { open: button }: Form) {
  if (button === undefined) return
  await expect(page.getByRole('main').locator('h2:focus')).toBeVisible()
  await tabTo(page, page.getByRole('main').getByRole('button', { name: /another/ }))
}

test('menu and drawer by keyboard alone', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 900 })
  await page.goto('/events')
  await taken(page)
  const menu = page.getByRole('button', { name: 'Menu' })
  await tabTo(page, menu)
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(menu).toBeFocused()
  await page.keyboard.press('Enter')
  await tabTo(page, drawer.getByRole('link', { name: 'Young Artist' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Young Artist Awards' })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
})

test('an event’s details by keyboard alone', async ({ page }) => {
  await page.goto('/events')
  await taken(page)
  const details = page.getByRole('button', { name: /^View details ?: Weekly Guest Speakers$/ })
  await tabTo(page, details)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Weekly Guest Speakers' })
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(dialog.locator(':focus')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(details).toBeFocused()
})
