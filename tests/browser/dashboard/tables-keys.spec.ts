/**
 * The user selects, copies and pastes blocks of cells in the grid, sets them to null, and undoes and redoes this. If an action is not possible for
 * the whole block, the page refuses it and shows a message.
 */
import type { Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { expect, manyRows, sql, test } from '../support/operator.ts'

const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true })
const chosen = (page: Page) => page.locator('[role=gridcell][aria-selected=true]')
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const fillClipboard = (page: Page, text: string) => page.evaluate((given) => navigator.clipboard.writeText(given), text)
const press = async (page: Page, key: string, times = 1) => {
  for (let count = 0; count < times; count += 1) await page.keyboard.press(key)
}

/** Opens the grid of the table boats, ordered by id. The first cell is the current one. */
async function openBoats(page: Page, url: string) {
  await page.goto(`${url}/_/tables/public/boats?sort=%5B%22id%22%2Cfalse%5D`)
  await expect(cell(page, 'Boat 2')).toBeVisible()
  await page.getByRole('grid', { name: 'Rows of boats' }).focus()
}

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']))

test('a block of cells is selected by keys and by pointer, and copied for a spreadsheet', async ({ page, dashboard }) => {
  await sql(dashboard, `update boats set about = null where id = 1; update boats set about = '"a\\tb"' where id = 2`)
  await openBoats(page, dashboard.url)
  await press(page, 'ArrowRight')
  await press(page, 'Shift+ArrowRight')
  await press(page, 'Shift+ArrowDown')
  await expect(chosen(page)).toHaveCount(4)
  await expect(page.getByText('2 rows × 2 columns chosen')).toBeVisible()
  await press(page, 'Control+c')
  await expect(page.getByText('Copied 2 rows × 2 columns')).toBeVisible()
  expect(await clipboard(page)).toBe('Boat 1\twild\nBoat 2\tcalm')
  expect(await violations(page)).toEqual([])
  await press(page, 'Escape')
  await expect(chosen(page)).toHaveCount(1)

  await cell(page, 'Boat 1').click()
  await cell(page, 'Boat 3').click({ modifiers: ['Shift'] })
  await expect(chosen(page)).toHaveCount(3)
  await press(page, 'Shift+End')
  await expect(page.getByText('3 rows × 6 columns chosen')).toBeVisible()
  await press(page, 'Control+c')
  // In the copied text, null is an empty field, and booleans are words.
  await expect.poll(() => clipboard(page)).toContain('Boat 1\twild\ttrue\t2\t\t\nBoat 2')
  await sql(dashboard, `update boats set about = '{"a": 1}' where id in (1, 2)`)
})

test('a paste is one step: undone, redone, and saved', async ({ page, dashboard }) => {
  await openBoats(page, dashboard.url)
  await fillClipboard(page, 'Gig\twild\r\n"two\nlines"\tcalm\r\n')
  await cell(page, 'Boat 6').click()
  await press(page, 'Control+v')
  await expect(page.getByText('4 changes are not saved.')).toBeVisible()
  await expect(cell(page, 'Gig')).toBeVisible()
  await press(page, 'Control+z')
  await expect(cell(page, 'Boat 6')).toBeVisible()
  await expect(page.getByText('not saved')).toHaveCount(0)
  await press(page, 'Control+Shift+Z')
  await expect(cell(page, 'Gig')).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The rows are changed')).toBeVisible()
  expect(await sql(dashboard, 'select name, mood from boats where id in (6, 7) order by id')).toEqual([
    ['Gig', 'wild'],
    ['two\nlines', 'calm'],
  ])
  // Edits that have been saved cannot be undone.
  await page.getByRole('grid').focus()
  await press(page, 'Control+z')
  await expect(cell(page, 'Gig')).toBeVisible()
  await sql(dashboard, `update boats set name = 'Boat ' || id, mood = case id % 2 when 0 then 'calm' else 'wild' end::mood where id in (6, 7)`)
})

test('Delete sets null if the column allows it, and otherwise shows a message', async ({ page, dashboard }) => {
  await openBoats(page, dashboard.url)
  await cell(page, 'Boat 4').click()
  await press(page, 'Delete')
  await expect(page.getByText('No chosen column can be null.')).toBeVisible()
  await press(page, 'ArrowRight')
  await press(page, 'Shift+ArrowRight', 2)
  await press(page, 'Delete')
  await expect(page.getByText('3 changes are not saved.')).toBeVisible()
  await press(page, 'Control+z')
  await expect(page.getByText('not saved')).toHaveCount(0)
})

test('a paste that does not fit is refused completely', async ({ page, dashboard }) => {
  await openBoats(page, dashboard.url)
  await fillClipboard(page, 'a\tb')
  await press(page, 'End')
  await press(page, 'Control+v')
  await expect(page.getByText('The text has 2 columns. From this cell on there is room for 1.')).toBeVisible()
  await fillClipboard(page, 'x\noften')
  // While the last column is visible, the grid does not render the first columns.
  await press(page, 'Home')
  await cell(page, 'Boat 5').click()
  await press(page, 'ArrowRight', 2)
  await press(page, 'Control+v')
  await expect(page.getByText('“x” cannot be a value of is_afloat, which is true or false.')).toBeVisible()
  await expect(page.getByText('not saved')).toHaveCount(0)
})

test('if rows are not loaded, a message says how many can be copied', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/many`)
  await expect(cell(page, 'row 1')).toBeVisible()
  await fillClipboard(page, 'as before')
  await page.getByRole('grid').focus()
  await press(page, 'Control+Shift+End')
  await expect(cell(page, `row ${manyRows}`)).toBeVisible()
  await press(page, 'Control+c')
  await expect(page.getByText(/Only the first [\d,]+ rows of 1,000,000 rows can be copied/)).toBeVisible()
  expect(await clipboard(page)).toBe('as before')
})

test('inside a cell, keys edit its text', async ({ page, dashboard }) => {
  await openBoats(page, dashboard.url)
  await fillClipboard(page, 'one\ttwo')
  await cell(page, 'Boat 8').dblclick()
  const field = page.getByRole('textbox', { name: 'name, text' })
  await field.press('Control+a')
  await field.press('Control+v')
  await expect(field).toHaveValue('one\ttwo')
  await field.press('Escape')
  await expect(cell(page, 'Boat 8')).toBeVisible()
})

test('the keys are listed', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await expect(page.getByRole('heading', { level: 1, name: 'boats' })).toBeFocused()
  await press(page, '?')
  const keys = page.getByRole('dialog', { name: 'Keys' })
  for (const key of ['Shift with arrow keys', 'Ctrl C', 'Ctrl V', 'Delete', 'Ctrl Z', 'Ctrl Shift Z', 'Alt ↓', 'Menu or Shift F10'])
    await expect(keys.getByText(key, { exact: true }).first()).toBeVisible()
})
