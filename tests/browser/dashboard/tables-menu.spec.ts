/**
 * The list of tables shows properties of each table. A table's menu opens by pointer, keyboard and touch. The test also covers schemas, foreign keys,
 * and the download of types.
 */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { fromBuilt } from '../support/built.ts'
import { expect, sql, test } from '../support/operator.ts'

const entry = (page: Page, name: string) => page.getByRole('navigation', { name: 'Tables' }).getByRole('link', { name: new RegExp(`^${name}\\b`) })
const menu = (page: Page, name: string) => page.getByRole('menu', { name: `Actions of ${name}` })
const review = (page: Page) => page.getByRole('dialog').filter({ has: page.getByLabel('SQL', { exact: true }) })

const setUp = `
  drop view if exists public.sights; drop table if exists public.buoys, public.lights;
  create table public.buoys (id bigint primary key, name text);
  insert into public.buoys values (1, 'Ashton');
  analyze public.buoys;
  create view public.sights as select 1 as id;`

test.beforeEach(({ dashboard }) => sql(dashboard, setUp))

test('the list shows whether row-level security is enabled, and which relations are not tables', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public`)
  await expect(entry(page, 'boats').getByRole('img', { name: 'Row-level security is on' })).toBeVisible()
  await expect(entry(page, 'buoys').getByRole('img', { name: 'Row-level security is off' })).toBeVisible()
  await expect(entry(page, 'sights')).toContainText('view')
  await expect(entry(page, 'sights').getByRole('img')).toHaveCount(0)
})

test('by keyboard: the menu opens, moves, closes, and returns the focus', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public`)
  await entry(page, 'buoys').focus()
  await page.keyboard.press('Shift+F10')
  const items = menu(page, 'buoys').getByRole('menuitem')
  await expect(items.first()).toBeFocused()
  await expect(items).toHaveText([
    'Open', 'Structure', 'Policies', 'Diagram', 'select * in SQL', 'Copy the name', 'Copy as supabase-js',
    'Enable row-level security', 'Rename', 'Truncate', 'Drop',
  ])
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('ArrowUp')
  await expect(items.last()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu(page, 'buoys')).toBeHidden()
  await expect(entry(page, 'buoys')).toBeFocused()
  await page.keyboard.press('ContextMenu')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Structure' })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'buoys' })).toBeVisible()
})

test('changes are SQL first, and migrations where they change the schema', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/buoys`)
  const choose = async (name: string, item: string) => {
    await entry(page, name).click({ button: 'right' })
    await menu(page, name).getByRole('menuitem', { name: item }).click()
  }
  await choose('buoys', 'Enable row-level security')
  await expect(review(page).getByLabel('SQL')).toHaveValue('alter table public.buoys enable row level security;')
  await review(page).getByRole('button', { name: 'Run and keep' }).click()
  await expect(entry(page, 'buoys').getByRole('img', { name: 'Row-level security is on' })).toBeVisible()

  await choose('buoys', 'Truncate')
  await expect(review(page).getByLabel('SQL')).toHaveValue('truncate table public.buoys;')
  await expect(review(page).getByLabel('Keep as a migration file')).toHaveCount(0)
  await review(page).getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByText('There are no rows yet')).toBeVisible()

  await choose('buoys', 'Rename')
  await page.getByLabel('New name').fill('lights')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  await expect(review(page).getByLabel('SQL')).toHaveValue('alter table public.buoys rename to lights;')
  await expect(review(page).getByLabel('Name of the migration')).toHaveValue('rename_buoys_to_lights')
  await review(page).getByRole('button', { name: 'Run and keep' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'lights' })).toBeVisible()

  await choose('sights', 'Drop')
  await expect(review(page).getByLabel('SQL')).toHaveValue('drop view public.sights;')
  await review(page).getByRole('button', { name: 'Cancel' }).click()
  await choose('lights', 'Drop')
  await review(page).getByRole('button', { name: 'Run and keep' }).click()
  await expect(page).toHaveURL(/\/_\/tables\/public$/)
  await expect(entry(page, 'lights')).toHaveCount(0)
  expect(await sql(dashboard, "select to_regclass('public.lights')")).toEqual([[null]])
})

test('the menu opens a table in the SQL editor and copies it', async ({ page, dashboard, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${dashboard.url}/_/tables/public/buoys`)
  await page.getByRole('button', { name: 'Actions of buoys' }).click()
  await menu(page, 'buoys').getByRole('menuitem', { name: 'Copy as supabase-js' }).click()
  await expect(page.getByText('The code is copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('.from("buoys")')
  await page.getByRole('button', { name: 'Actions of buoys' }).click()
  await menu(page, 'buoys').getByRole('menuitem', { name: 'select * in SQL' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'SQL' })).toBeVisible()
  await expect(page.getByRole('tab', { selected: true })).toContainText('select * from public')
})

test('on a phone the menu is beside the name of the table', async ({ browser, page, dashboard }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  await fromBuilt(context)
  await context.addCookies(await page.context().cookies())
  const phone = await context.newPage()
  await phone.goto(`${dashboard.url}/_/tables/public/buoys`)
  await phone.getByRole('button', { name: 'Actions of buoys' }).tap()
  await expect(menu(phone, 'buoys')).toBeInViewport({ ratio: 1 })
  expect(await violations(phone)).toEqual([])
  await menu(phone, 'buoys').getByRole('menuitem', { name: 'Structure' }).tap()
  await expect(phone.getByRole('region', { name: 'Structure' })).toBeVisible()
  await context.close()
})

test('a schema is created, and the page goes there', async ({ page, dashboard }) => {
  await sql(dashboard, 'drop schema if exists "My reports" cascade')
  await page.goto(`${dashboard.url}/_/tables/public`)
  await page.getByRole('button', { name: 'New schema' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('My reports')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  await expect(review(page).getByLabel('SQL')).toHaveValue('create schema "My reports";')
  await review(page).getByRole('button', { name: /^Run( and keep)?$/ }).click()
  await expect(page.getByLabel('Schema', { exact: true })).toHaveValue('My reports')
  await expect(page.getByText('There are no tables in My reports yet')).toBeVisible()
})

test('a column that is there gets a foreign key, and then says what it refers to', async ({ page, dashboard }) => {
  await sql(dashboard, 'create table public.lights (id bigint primary key, buoy bigint, kind text)')
  await page.goto(`${dashboard.url}/_/tables/public/lights?show=structure`)
  await page.getByRole('button', { name: 'Change column buoy' }).click()
  const panel = page.getByRole('dialog', { name: 'Column buoy', exact: true })
  await panel.getByLabel('References').fill('buoys')
  await panel.getByRole('option', { name: /public\.buoys/ }).click()
  await panel.getByLabel('On delete').selectOption('cascade')
  expect(await violations(page)).toEqual([])
  await panel.getByRole('button', { name: 'Show the SQL' }).click()
  await expect(review(page).getByLabel('SQL')).toHaveValue(
    'alter table public.lights add foreign key (buoy) references public.buoys on delete cascade;',
  )
  await review(page).getByRole('button', { name: /^Run( and keep)?$/ }).click()
  await expect(panel).toBeHidden()
  await page.getByRole('button', { name: 'Change column buoy' }).click()
  await expect(panel.getByText('by the foreign key lights_buoy_fkey')).toBeVisible()
  await expect(panel.getByLabel('References')).toHaveCount(0)
})

test('the types of the whole project are a file', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/api-docs`)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'TypeScript types of the project' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('database.types.ts')
  const text = readFileSync(await file.path(), 'utf8')
  expect(text).toContain('export type Database')
  expect(text).toContain('buoys: {')
})
