/**
 * The page for SQL: running the whole script or the selection, several results, errors with their position, plans, cancelling, history, snippets,
 * axe.
 */
import type { Page } from '@playwright/test'
import { screens, violations } from '../support/axe.ts'
import { expect, sql, test } from '../support/operator.ts'
import { lane } from '../support/lane.ts'

const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL' })

async function type(page: Page, text: string) {
  // The list of completions may cover the editor.
  await editor(page).focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

const accessible = async (page: Page) => expect(await violations(page)).toEqual([])

test.beforeEach(async ({ page, dashboard }) => {
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  await page.goto(`${dashboard.url}/_/sql`)
  await expect(editor(page)).toBeVisible()
  expect(refused).toEqual([])
})

test('several results, and the selection alone', async ({ page }) => {
  await type(page, 'select 41 + 1 as answer;\nselect name from boats order by id limit 2')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText(/^2 results in/)).toBeVisible()
  await expect(page.getByRole('cell', { name: 'Boat 2', exact: true })).toBeVisible()
  await page.getByRole('button', { name: '1: SELECT 1' }).click()
  await expect(page.getByRole('cell', { name: '42', exact: true })).toBeVisible()
  await editor(page).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Shift+End')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByText(/^1 result in/)).toBeVisible()
})

test('running a script closes the completion', async ({ page }) => {
  await type(page, 'select id from boats')
  await page.keyboard.press('Control+Space')
  const completion = page.getByRole('listbox')
  await expect(completion).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText(/^1 result in/)).toBeVisible()
  await expect(completion).toBeHidden()
})

test('scripts are read-only by default; writing must be enabled first', async ({ page, dashboard }) => {
  await type(page, "insert into schools (name) values ('Wemyss Bay')")
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('read-only transaction')
  await page.getByLabel('Allow writing').check()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByText('What was written is kept.')).toBeVisible()
  expect(await sql(dashboard, "select count(*) from schools where name = 'Wemyss Bay'")).toEqual([['1']])
})

test('a script that runs as a migration is saved as a file, and the message names the file', async ({ page, dashboard }) => {
  await type(page, 'create table public.slipways (id bigint primary key)')
  await page.getByRole('button', { name: 'As migration' }).click()
  await expect(page.getByLabel('Keep as a migration file')).toBeChecked()
  await page.getByRole('dialog').getByRole('button', { name: 'Run and keep' }).click()
  await expect(page.getByText(/^Done, and kept as migrations\/\d{14}_create_slipways\.sql$/)).toBeVisible()
  expect(await sql(dashboard, "select count(*) from supabase_migrations.schema_migrations where name = 'create_slipways'")).toEqual([['1']])
})

test('an error moves the cursor to its position', async ({ page }) => {
  await type(page, 'select 1;\nselect nothing')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('column "nothing" does not exist')
  await page.getByRole('button', { name: 'Go to the place' }).click()
  await page.keyboard.insertText('!')
  await expect(editor(page)).toContainText('select !nothing')
})

test('a plan as a tree, and a long statement cancelled', async ({ page }) => {
  await type(page, 'select * from boats join schools on schools.id = school_id')
  await page.getByRole('button', { name: 'Explain and measure' }).click()
  await expect(page.getByRole('region', { name: 'Plan' })).toContainText('Hash Join')
  await expect(page.getByRole('region', { name: 'Plan' })).toContainText(/rows expected, \d+ came/)
  await accessible(page)
  await type(page, 'select pg_sleep(100)')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('alert')).toContainText('canceling statement due to user request')
})

test('scripts are in tabs, which survive a reload, each with its results', async ({ page }) => {
  await type(page, 'select 41 + 1 as first')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('cell', { name: '42', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'New script' }).click()
  await expect(editor(page)).toHaveText('')
  await expect(page.getByRole('cell', { name: '42', exact: true })).toBeHidden()
  await type(page, 'select 7 as second')
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  await expect(tab('select 7 as second')).toHaveAttribute('aria-selected', 'true')
  await tab('select 7 as second').focus()
  await page.keyboard.press('ArrowLeft')
  await expect(tab('select 41 + 1 as first')).toBeFocused()
  await expect(editor(page)).toHaveText('select 41 + 1 as first')
  await expect(page.getByRole('cell', { name: '42', exact: true }), 'its results are still there').toBeVisible()
  // Each script has a separate undo history.
  await editor(page).click()
  await page.keyboard.press('Control+Z')
  await expect(editor(page)).toHaveText('select now();')
  await page.keyboard.press('Control+Shift+Z')
  await accessible(page)
  await page.reload()
  await expect(editor(page)).toHaveText('select 41 + 1 as first')
  await tab('select 7 as second').click()
  await expect(editor(page)).toHaveText('select 7 as second')
  await tab('select 7 as second').press('Delete')
  await expect(page.getByRole('tab')).toHaveCount(1)
  await expect(tab('select 41 + 1 as first')).toBeFocused()
  await page.getByRole('button', { name: 'Close select 41 + 1 as first' }).click()
  await expect(editor(page)).toHaveText('')
})

test('the divider between editor and result is moved by keys and pointer, and keeps its position', async ({ page }) => {
  const line = page.getByRole('separator', { name: 'Height of the editor' })
  const height = async () => (await editor(page).locator('xpath=ancestor::*[contains(@class, "cm-editor")]').boundingBox())?.height ?? 0
  await expect(line).toHaveAttribute('aria-valuenow', '40')
  const before = await height()
  await line.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(line).toHaveAttribute('aria-valuenow', '50')
  expect(await height()).toBeGreaterThan(before + 20)
  const box = await line.boundingBox()
  if (!box) throw new Error('no line')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, 0)
  await page.mouse.up()
  await expect(line).toHaveAttribute('aria-valuenow', '15')
  await page.reload()
  await expect(line).toHaveAttribute('aria-valuenow', '15')
})

test('a click on a name in the schema inserts the name, quoted if necessary', async ({ page, dashboard }) => {
  await sql(dashboard, 'create table if not exists public."Odd name" (id int, "Mixed Case" text)')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.reload()
  const tree = page.getByRole('navigation', { name: 'Schema' })
  await type(page, 'select * from ')
  await tree.getByRole('button', { name: 'Insert Odd name' }).click()
  await expect(editor(page)).toHaveText('select * from "Odd name"')
  await expect(editor(page)).toBeFocused()
  await page.keyboard.type(' where ')
  await tree.getByRole('button', { name: 'Columns of Odd name' }).click()
  await tree.getByRole('button', { name: 'Insert Mixed Case' }).click()
  await expect(editor(page)).toHaveText('select * from "Odd name" where "Mixed Case"')
  await tree.getByRole('textbox', { name: 'Find a table or column' }).fill('email_conf')
  await tree.getByRole('button', { name: 'Insert users' }).click()
  await expect(editor(page)).toHaveText(/where "Mixed Case"auth\.users$/)
  await accessible(page)
  await page.getByRole('button', { name: 'Schema', exact: true }).and(page.locator(':visible')).click()
  await expect(tree).toBeHidden()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Schema', exact: true }).and(page.locator(':visible')).click()
  await accessible(page)
  await page.getByRole('dialog', { name: 'Schema' }).getByRole('button', { name: 'Insert boats' }).click()
  await expect(editor(page)).toHaveText(/users ?boats$/)
})

test('an error is marked at its position until the text changes', async ({ page }) => {
  await type(page, 'select 1;\nselect nothing, 2')
  await page.keyboard.press('Control+Enter')
  const mark = page.locator('.cm-error')
  await expect(mark).toHaveText('nothing')
  await expect(mark).toHaveAttribute('title', /column "nothing" does not exist/)
  await page.screenshot({ path: test.info().outputPath('error.png') })
  await accessible(page)
  await editor(page).press('End')
  await page.keyboard.type(' ')
  await expect(mark).toHaveCount(0)
})

test('the slow step of a plan is marked', async ({ page }) => {
  await type(page, 'select count(*) from many where value > 10 and name like $$%9%$$')
  await page.getByRole('button', { name: 'Explain and measure' }).click()
  const plan = page.getByRole('region', { name: 'Plan' })
  await expect(plan.getByText('Slowest step')).toHaveCount(1)
  await expect(plan).toContainText(/Filter: .*value/)
  await page.screenshot({ path: test.info().outputPath('plan.png') })
  await accessible(page)
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await expect(plan.getByText('Most expensive step')).toHaveCount(1)
})

test('a result is shown as a line or bar chart of the chosen columns', async ({ page }) => {
  await type(page, "select day::date, n, n * n as square from generate_series(date '2026-01-01', date '2026-01-09', '1 day') with ordinality as g (day, n)")
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Chart' }).click()
  const chart = page.getByRole('region', { name: 'Chart' })
  await expect(chart.getByRole('img', { name: 'n by day' })).toBeVisible()
  await chart.getByLabel('Y', { exact: true }).selectOption('square')
  await expect(chart.getByText('9 rows from 2026-01-01 to 2026-01-09. Highest 81, at 2026-01-09.')).toBeVisible()
  await page.screenshot({ path: test.info().outputPath('line.png') })
  await accessible(page)
  await chart.getByLabel('X', { exact: true }).selectOption('n')
  await chart.getByLabel('Kind').selectOption('Bars')
  await expect(chart.getByRole('listitem')).toHaveCount(9)
  await expect(chart.getByRole('listitem').last()).toHaveText('981')
  await accessible(page)
})

test('the completion contains the names of the schema', async ({ page }) => {
  await type(page, 'select * from boa')
  await page.keyboard.press('Control+Space')
  await expect(page.getByRole('option', { name: /^boats/ })).toBeVisible()
})

test('typing over a selection causes no CSP violation, completes, and adds brackets', async ({ page }) => {
  const refused: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  await editor(page).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('sel')
  await expect(page.getByRole('option', { name: 'select', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('(')
  await expect(editor(page)).toContainText('(sel)')
  await page.keyboard.press('Control+Z')
  await page.keyboard.press('Control+Z')
  await expect(editor(page)).toContainText('select now();')
  expect(refused).toEqual([])
})

test('a chart, the history, and a snippet', async ({ page }) => {
  await type(page, 'select mood::text, count(*) from boats group by 1')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Chart' }).click()
  await expect(page.getByRole('region', { name: 'Chart' })).toContainText('wild')
  await accessible(page)
  await page.getByRole('button', { name: 'Snippets' }).click()
  await page.getByLabel('Save what is in the editor as').fill('Moods')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('button', { name: /^Moods/ })).toBeVisible()
  await accessible(page)
  await page.keyboard.press('Escape')
  await type(page, 'select 2')
  await page.getByRole('button', { name: 'History' }).click()
  await page.getByRole('button', { name: /^select mood::text/ }).click()
  await expect(editor(page)).toContainText('select mood::text')
})

for (const { name: screen, width, colorScheme } of screens)
  test(`no accessibility violations ${screen}`, lane(colorScheme === 'light'), async ({ page }, info) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await type(page, "select id, name, mood, about -- boats\n  from boats where name like 'Boat%' and id > 3;")
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('table', { name: 'Result' })).toBeVisible()
    await page.keyboard.press('Escape')
    await page.screenshot({ path: info.outputPath(`sql-${width}-${colorScheme}.png`) })
    await accessible(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
