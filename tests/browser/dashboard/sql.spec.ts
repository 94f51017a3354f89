/** The page for SQL: run all or the selection, several results, errors with their place, plans, cancelling, history, snippets, axe. */
import type { Page } from '@playwright/test'
import { screens, violations } from '../support/axe.ts'
import { expect, sql, test } from '../support/operator.ts'
import { lane } from '../support/lane.ts'

const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL' })

async function type(page: Page, text: string) {
  await editor(page).click()
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

test('running closes the completion', async ({ page }) => {
  await type(page, 'select id from boats')
  await page.keyboard.press('Control+Space')
  const completion = page.getByRole('listbox')
  await expect(completion).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText(/^1 result in/)).toBeVisible()
  await expect(completion).toBeHidden()
})

test('reading is the default; writing is allowed first', async ({ page, dashboard }) => {
  await type(page, "insert into schools (name) values ('Wemyss Bay')")
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('read-only transaction')
  await page.getByLabel('Allow writing').check()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByText('What was written is kept.')).toBeVisible()
  expect(await sql(dashboard, "select count(*) from schools where name = 'Wemyss Bay'")).toEqual([['1']])
})

test('what is run as a migration is kept as a file, and the message names it', async ({ page, dashboard }) => {
  await type(page, 'create table public.moorings (id bigint primary key)')
  await page.getByRole('button', { name: 'As migration' }).click()
  await expect(page.getByLabel('Keep as a migration file')).toBeChecked()
  await page.getByRole('dialog').getByRole('button', { name: 'Run and keep' }).click()
  await expect(page.getByText(/^Done, and kept as migrations\/\d{14}_create_moorings\.sql$/)).toBeVisible()
  expect(await sql(dashboard, "select count(*) from supabase_migrations.schema_migrations where name = 'create_moorings'")).toEqual([['1']])
})

test('an error leads to its place', async ({ page }) => {
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

test('completion knows the schema', async ({ page }) => {
  await type(page, 'select * from boa')
  await page.keyboard.press('Control+Space')
  await expect(page.getByRole('option', { name: /^boats/ })).toBeVisible()
})

test('typing over what is selected breaks no rule of the page, completes, and puts brackets around it', async ({ page }) => {
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
  test(`nothing is wrong for axe ${screen}`, lane(colorScheme === 'light'), async ({ page }, info) => {
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
