/** A message covers no button of a heading or of the first row, on any page and at any width. */
import type { Page } from '@playwright/test'
import { expect, open, settled, test } from '../support/dashboard.ts'

/** Pages with buttons in the heading, in rows, or at the lower edge. */
const paths = ['/users', '/files', '/files?bucket=pictures', '/functions', '/jobs', '/logs', '/database', '/database/indexes', '/operators', '/tables/public/boats', '/sql', '/settings']
const sizes = [[390, 844], [900, 900], [1440, 900]] as const

/** Makes the page show a message: signing out fails. The message stays until it is closed. */
async function showMessage(page: Page) {
  await page.route('**/_/api/session', (route) => (route.request().method() === 'DELETE' ? route.fulfill({ status: 500, json: {} }) : route.continue()))
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  const isNarrow = await menu.isVisible()
  if (isNarrow) await menu.click()
  await page.getByRole('button', { name: 'Sign out' }).locator('visible=true').click()
  const message = page.getByRole('region', { name: 'Messages' })
  await expect(message).toContainText('You are still signed in')
  if (isNarrow) {
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  return message
}

/** Returns the controls in headings and first rows that a message covers, and all other covered controls. */
const covered = (page: Page) =>
  page.getByRole('region', { name: 'Messages' }).evaluate((message) => {
    const box = message.getBoundingClientRect()
    const controls = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea)')].filter((control) => {
      const { left, right, top, bottom } = control.getBoundingClientRect()
      return left < box.right && right > box.left && top < box.bottom && bottom > box.top && control.checkVisibility()
    })
    const isImportant = (control: Element) => control.closest('header, thead, tbody > tr:first-child, li:first-child') !== null
    const nameOf = (control: Element) => control.getAttribute('aria-label') ?? control.textContent
    return { important: controls.filter(isImportant).map(nameOf), others: controls.filter((control) => !isImportant(control)).map(nameOf) }
  })

for (const [width, height] of sizes)
  test(`a message covers no button of a heading or first row at ${width} pixels`, async ({ owner, dashboard }) => {
    test.slow()
    await owner.setViewportSize({ width, height })
    for (const path of paths) {
      await open(owner, dashboard, path)
      await settled(owner)
      await showMessage(owner)
      await expect.poll(async () => (await covered(owner)).important, { message: `${path} at ${width}` }).toEqual([])
      // On a wide screen, most pages have a place where it covers no control at all. The rows of a table fill the window.
      if (width === 1440 && !path.startsWith('/tables')) expect((await covered(owner)).others, path).toEqual([])
    }
  })

test('a message leaves the place where a dialog has its buttons', async ({ owner, dashboard }) => {
  await owner.setViewportSize({ width: 1440, height: 900 })
  await open(owner, dashboard, '/database/indexes', 'Indexes')
  const message = await showMessage(owner)
  const before = await message.boundingBox()
  await owner.getByRole('button', { name: 'New index' }).click()
  const dialog = owner.getByRole('dialog')
  const footer = await dialog.locator('footer').boundingBox()
  expect(before?.x, 'the message was above the place of the footer').toBeGreaterThan(0)
  await expect
    .poll(async () => {
      const box = await message.boundingBox()
      if (!box || !footer) return 'not shown'
      const isApart = box.x + box.width <= footer.x || box.x >= footer.x + footer.width || box.y >= footer.y + footer.height || box.y + box.height <= footer.y
      return isApart || (await dialog.locator('footer button').evaluateAll((buttons, { x, y, width, height }) => buttons.filter((button) => {
        const own = button.getBoundingClientRect()
        return own.left < x + width && own.right > x && own.top < y + height && own.bottom > y
      }).length === 0, box))
    })
    .toBe(true)
})
