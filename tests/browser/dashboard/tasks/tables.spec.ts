/** Tasks of the pages Tables and API. */
import { readFileSync } from 'node:fs'
import { clientOf } from '../../support/club.ts'
import type { Dashboard } from '../../support/dashboard.ts'
import { button, expect, go, goToTable, run, tableLink, task, write } from '../../support/tasks.ts'

const api = ({ url, serviceKey }: Dashboard) => clientOf(url, serviceKey)

task('create a table', async ({ page, dashboard }) => {
  await go(page, 'Tables')
  await button(page, 'New table').click()
  await write(page.getByLabel('Name', { exact: true }), 'ferries')
  await write(page.getByLabel('Name of column 3'), 'name')
  await button(page, 'Make the table').click()
  await expect(page.getByRole('heading', { level: 1, name: 'ferries' })).toBeVisible()
  await expect.poll(async () => (await api(dashboard).from('ferries').insert({ name: 'Waverley' })).error).toBeNull()
})

task('add a row', async ({ page, dashboard }) => {
  await goToTable(page, 'boats')
  await button(page, 'Row').click()
  await write(page.getByLabel('name', { exact: true }), 'Task skiff')
  await button(page, 'Add the row').click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect((await api(dashboard).from('boats').select('mood').eq('name', 'Task skiff')).data).toEqual([{ mood: null }])
}, "delete from public.boats where name = 'Task skiff'")

const piers = "drop table if exists public.piers cascade; create table public.piers (id bigint primary key, name text); insert into public.piers values (1, 'Dunoon'), (2, 'Largs'), (3, 'Ayr')"

task('change a row', async ({ page, dashboard }) => {
  await goToTable(page, 'piers')
  await page.getByRole('gridcell', { name: 'Dunoon', exact: true }).dblclick()
  await write(page.getByRole('textbox', { name: 'name, text' }), 'Rothesay')
  await page.keyboard.press('Enter')
  await button(page, 'Save').click()
  await expect(button(page, 'Save')).toHaveCount(0)
  expect((await api(dashboard).from('piers').select('name').eq('id', 1)).data).toEqual([{ name: 'Rothesay' }])
}, piers)

task('delete a row', async ({ page, dashboard }) => {
  await goToTable(page, 'piers')
  await page.getByRole('gridcell', { name: 'Largs', exact: true }).click()
  await button(page, 'Open the row').click()
  await button(page, 'Delete the row').click()
  await button(page, 'Save').click()
  await expect(button(page, 'Save')).toHaveCount(0)
  expect((await api(dashboard).from('piers').select('id').eq('id', 2)).data).toEqual([])
}, piers)

task('import a CSV file', async ({ page, dashboard }) => {
  await goToTable(page, 'piers')
  await button(page, 'Import').click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('dialog').getByLabel('File').click()
  await (await chooser).setFiles({ name: 'piers.csv', mimeType: 'text/csv', buffer: Buffer.from('id,name\n8,Tarbert\n9,"Brodick, Arran"\n') })
  await button(page.getByRole('dialog'), 'Import').click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect((await api(dashboard).from('piers').select('name').gte('id', 8).order('id')).data).toEqual([{ name: 'Tarbert' }, { name: 'Brodick, Arran' }])
}, piers)

task('filter and sort rows, and follow a foreign key', async ({ page, endPart, sql }) => {
  await goToTable(page, 'boats')
  await button(page, 'Filter').click()
  await page.getByLabel('Column').selectOption('mood')
  await write(page.getByRole('textbox', { name: 'Value' }), 'calm')
  await page.keyboard.press('Enter')
  const [[calm] = []] = await sql("select count(*) from public.boats where mood = 'calm'")
  await expect(page.getByText(`${calm} rows`, { exact: true })).toBeVisible()
  await endPart()
  await page.getByRole('columnheader', { name: /^name/ }).getByRole('button').click()
  const [[first] = []] = await sql(`select name from public.boats where mood = 'calm' order by name limit 1`)
  await expect(page.getByRole('row').nth(1)).toContainText(first ?? 'no row')
  await endPart()
  await button(page, 'Show what harbour_id 1 refers to').first().click()
  await expect(page.getByRole('dialog')).toContainText('Gourock')
})

task('view the rows as another role', async ({ page, dashboard, sql }) => {
  await goToTable(page, 'boats')
  await button(page, 'View as').click()
  await button(page.getByRole('dialog'), 'View').click()
  await expect(page.getByText('You look as anon: these are their rows.')).toBeVisible()
  const { data } = await clientOf(dashboard.url, dashboard.anonKey).from('boats').select('id')
  await expect(page.getByText(`${data?.length} rows`, { exact: true })).toBeVisible()
  expect(await sql("select count(*) > 0 from cloch.operator_audit where target = 'public.boats as anon'")).toEqual([['t']])
})

task('enable row-level security; rename, truncate and drop a table', async ({ page, endPart, sql }) => {
  await go(page, 'Tables')
  const choose = async (table: string, item: string) => {
    await tableLink(page, table).click({ button: 'right' })
    await page.getByRole('menu').getByRole('menuitem', { name: item }).click()
  }
  await choose('tides', 'Enable row-level security')
  await run(page)
  expect(await sql("select relrowsecurity from pg_class where oid = 'public.tides'::regclass")).toEqual([['t']])
  await endPart()
  await choose('tides', 'Rename')
  await write(page.getByLabel('New name'), 'currents')
  await run(page)
  expect(await sql('select count(*) from public.currents')).toEqual([['1']])
  await endPart()
  await choose('currents', 'Truncate')
  await run(page)
  expect(await sql('select count(*) from public.currents')).toEqual([['0']])
  await endPart()
  await choose('currents', 'Drop')
  await run(page)
  expect(await sql("select to_regclass('public.currents')")).toEqual([[null]])
}, 'drop table if exists public.tides, public.currents; create table public.tides (id bigint primary key); insert into public.tides values (1)')

task('add a foreign key to an existing column', async ({ page, sql }) => {
  await goToTable(page, 'moorings')
  await page.getByRole('link', { name: 'Structure', exact: true }).click()
  await button(page, 'Change column harbour').click()
  await write(page.getByLabel('References'), 'harbours')
  await run(page)
  expect(await sql("select confrelid::regclass from pg_constraint where conrelid = 'public.moorings'::regclass and contype = 'f'")).toEqual([['harbours']])
}, 'drop table if exists public.moorings; create table public.moorings (id bigint primary key, harbour bigint)')

task('create a schema', async ({ page, sql }) => {
  await go(page, 'Tables')
  await button(page, 'New schema').click()
  await write(page.getByRole('dialog').getByLabel('Name'), 'ledger')
  await run(page)
  await expect(page.getByLabel('Schema', { exact: true })).toHaveValue('ledger')
  expect(await sql("select count(*) from pg_namespace where nspname = 'ledger'")).toEqual([['1']])
}, 'drop schema if exists ledger cascade')

task('enable realtime for a table', async ({ page, sql }) => {
  await goToTable(page, 'signals')
  await page.getByRole('link', { name: 'Structure', exact: true }).click()
  await button(page, 'Send changes to supabase_realtime').click()
  await run(page)
  expect(await sql("select pubname from pg_publication_tables where tablename = 'signals'")).toEqual([['supabase_realtime']])
}, 'drop table if exists public.signals; create table public.signals (id bigint primary key)')

task('get the TypeScript types', async ({ page }) => {
  await go(page, 'API')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'TypeScript types of the project' }).click()
  const text = readFileSync(await (await download).path(), 'utf8')
  expect(text).toContain('boats: {')
})
