/**
 * An operator can do everything with the keyboard: follow the links to the pages, search, use dialogs that keep the focus and return it, and create a
 * table with its first row.
 */
import type { Locator, Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { expect, open, test } from '../support/dashboard.ts'

test('a page begins with its heading, and a link skips the navigation', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/users', 'Users')
  await expect(owner.getByRole('heading', { name: 'Users', level: 1 })).toBeFocused()
  await owner.keyboard.press('Tab')
  await expect(owner.getByRole('button', { name: 'Invite' })).toBeFocused()
  const skip = owner.getByRole('link', { name: 'Skip to the page' })
  await skip.focus()
  await expect(skip).toBeInViewport()
  await owner.keyboard.press('Enter')
  await expect(owner.getByRole('main')).toBeFocused()
})

test('the search finds pages and tables, and opens them', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/', /./)
  await owner.keyboard.press('Control+k')
  const field = owner.getByRole('combobox', { name: 'Pages, tables and actions' })
  await expect(field).toBeFocused()
  await field.pressSequentially('rls')
  expect(await violations(owner)).toEqual([])
  await owner.keyboard.press('ArrowDown')
  await owner.keyboard.press('ArrowUp')
  await owner.keyboard.press('Enter')
  await expect(owner.getByRole('heading', { name: 'Policies', level: 1 })).toBeVisible()
  await expect(owner.getByRole('heading', { name: 'Policies', level: 1 })).toBeFocused()
  await owner.keyboard.press('Control+k')
  await field.pressSequentially('nothing is named so')
  await expect(owner.getByText('Nothing matches.')).toBeVisible()
  await owner.keyboard.press('Escape')
  await expect(field).toBeHidden()
})

test('a dialog takes the focus, keeps it, and returns it', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/users', 'Users')
  const opener = owner.getByRole('button', { name: 'Add a user' })
  await opener.focus()
  await owner.keyboard.press('Enter')
  await expect(owner.getByLabel('E-mail')).toBeFocused()
  for (let steps = 0; steps < 12; steps += 1) {
    await owner.keyboard.press('Tab')
    const isOutside = await owner.evaluate(() => {
      const { activeElement } = document
      return activeElement !== document.body && activeElement?.closest('dialog') === null
    })
    expect(isOutside).toBe(false)
  }
  await owner.keyboard.press('Escape')
  await expect(opener).toBeFocused()
})

test('on a phone the menu contains all pages and closes after a choice', async ({ owner, dashboard }) => {
  await owner.setViewportSize({ width: 380, height: 800 })
  await open(owner, dashboard, '/users', 'Users')
  await owner.getByRole('button', { name: 'Menu' }).click()
  expect(await violations(owner)).toEqual([])
  await owner.getByRole('dialog').getByRole('link', { name: 'Settings' }).click()
  await expect(owner.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
  await expect(owner.getByRole('dialog')).toBeHidden()
})

test('a table and its first row are created by keyboard', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/tables', 'Tables')
  const press = async (name: string) => {
    await tabTo(owner, owner.getByRole('button', { name, exact: true }).last())
    await owner.keyboard.press('Enter')
  }
  const type = async (label: string, text: string) => {
    await tabTo(owner, owner.getByLabel(label, { exact: true }))
    await owner.keyboard.type(text)
  }
  await press('New table')
  // The first field of the dialog has the focus.
  await expect(owner.getByLabel('Name', { exact: true })).toBeFocused()
  await owner.keyboard.type('walked')
  await type('Name of column 3', 'body')
  await press('Show the SQL')
  await expect(owner.getByLabel('SQL', { exact: true })).toBeFocused()
  await press('Run and keep')
  await expect(owner.getByRole('heading', { level: 1, name: 'walked' })).toBeFocused()
  await press('Row')
  await type('body', 'by keys alone')
  await press('Show the SQL')
  await press('Run')
  await expect(owner.getByRole('gridcell', { name: 'by keys alone' })).toBeVisible()
})

test('the referenced row of a value is opened and closed by keyboard', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/tables/public/boats', 'boats')
  const grid = owner.getByRole('grid', { name: 'Rows of boats' })
  await expect(owner.getByRole('gridcell', { name: 'Boat 1', exact: true })).toBeVisible()
  await tabTo(owner, grid)
  for (let column = 0; column < 3; column += 1) await owner.keyboard.press('ArrowRight')
  await owner.keyboard.press('Control+Enter')
  await expect(owner.getByRole('dialog', { name: 'harbours 2' })).toContainText('Inverkip')
  await owner.keyboard.press('Escape')
  await expect(grid).toBeFocused()
})

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, goal: Locator) {
  await expect(goal).toBeVisible()
  for (let steps = 0; steps < 80; steps += 1) {
    if (await goal.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(goal).toBeFocused()
}

test('fast typed letters all arrive, in the field and in the URL', async ({ owner, dashboard }) => {
  for (const [path, label] of [
    ['/users', 'Find'],
    ['/policies', 'Find a table'],
    ['/settings', 'Find'],
    ['/logs', 'Words'],
    ['/audit', 'Action'],
    ['/mail', 'To'],
  ] as const) {
    await open(owner, dashboard, path)
    const field = owner.getByLabel(label, { exact: true })
    await field.pressSequentially('every letter of it')
    await expect(field).toHaveValue('every letter of it')
    await expect(owner).toHaveURL(/=every\+letter\+of\+it$/)
    await expect(field).toHaveValue('every letter of it')
  }
})
