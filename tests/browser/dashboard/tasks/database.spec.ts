/** Tasks of the pages Database, Diagram, Policies and Advisors. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientOf } from '../../support/club.ts'
import { button, expect, go, goToObjects, run, task, write } from '../../support/tasks.ts'

task('create a function and a trigger', async ({ page, dashboard, endPart, sql }) => {
  await go(page, 'Database', 'Database functions')
  await button(page, 'New function').click()
  await write(page.getByLabel('Name', { exact: true }), 'shout')
  await write(page.getByLabel('Body'), 'begin\n  new.name := upper(new.name);\n  return new;\nend;')
  await run(page)
  expect(await sql("select count(*) from pg_proc where proname = 'shout'")).toEqual([['1']])
  await endPart()
  await page.getByRole('navigation', { name: 'Database objects' }).getByRole('link', { name: 'Triggers' }).click()
  await button(page, 'New trigger').click()
  await write(page.getByLabel('Table', { exact: true }), 'slips')
  await write(page.getByLabel('Function', { exact: true }), 'shout')
  await run(page)
  const { data } = await clientOf(dashboard.url, dashboard.serviceKey).from('slips').update({ name: 'north' }).eq('id', 1).select()
  expect(data).toEqual([{ id: 1, name: 'NORTH' }])
}, "drop function if exists public.shout cascade; drop table if exists public.slips; create table public.slips (id bigint primary key, name text); insert into public.slips values (1, '')")

task('create a webhook', async ({ page, dashboard }) => {
  await goToObjects(page, 'Webhooks')
  await button(page, 'New webhook').click()
  await write(page.getByLabel('Table', { exact: true }), 'arrivals')
  await page.getByLabel('URL', { exact: true }).click()
  await page.getByRole('option', { name: /hello/ }).click()
  await run(page)
  const calls = async () => {
    const answer = await page.request.get(`${dashboard.url}/_/api/functions/hello`)
    return ((await answer.json()) as { figures: { calls: number } }).figures.calls
  }
  const before = await calls()
  expect((await clientOf(dashboard.url, dashboard.serviceKey).from('arrivals').insert({ id: 1 })).error).toBeNull()
  await expect.poll(calls).toBe(before + 1)
}, 'drop table if exists public.arrivals; create table public.arrivals (id bigint primary key)')

task('create an index', async ({ page, sql }) => {
  await goToObjects(page, 'Indexes')
  await button(page, 'New index').click()
  await write(page.getByLabel('Table', { exact: true }), 'catches')
  await page.getByLabel('species').click()
  await run(page)
  const [[definition] = []] = await sql("select indexdef from pg_indexes where tablename = 'catches' and indexname <> 'catches_pkey'")
  expect(definition).toContain('(species)')
}, 'drop table if exists public.catches; create table public.catches (id bigint primary key, species text)')

task('create an enum, add a value', async ({ page, endPart, sql }) => {
  const values = () => sql("select string_agg(enumlabel, ' ' order by enumsortorder) from pg_enum where enumtypid = to_regtype('public.sea_state')")
  await goToObjects(page, 'Enums')
  await button(page, 'New enum').click()
  await write(page.getByLabel('Name', { exact: true }), 'sea_state')
  await write(page.getByLabel('Values'), 'smooth\nrough')
  await run(page)
  expect(await values()).toEqual([['smooth rough']])
  await endPart()
  await button(page, 'Change sea_state').click()
  await write(page.getByLabel('New value (optional)'), 'high')
  await run(page)
  expect(await values()).toEqual([['smooth rough high']])
}, 'drop type if exists public.sea_state')

task('enable an extension', async ({ page, sql }) => {
  await goToObjects(page, 'Extensions')
  await write(page.getByRole('searchbox', { name: 'Search' }), 'citext')
  await button(page, 'Enable citext').click()
  await run(page)
  expect(await sql("select count(*) from pg_extension where extname = 'citext'")).toEqual([['1']])
}, 'drop extension if exists citext')

task('create a role', async ({ page, sql }) => {
  await goToObjects(page, 'Roles')
  await button(page, 'New role').click()
  await write(page.getByLabel('Name', { exact: true }), 'pilots')
  await run(page)
  expect(await sql("select rolcanlogin from pg_roles where rolname = 'pilots'")).toEqual([['f']])
}, 'drop role if exists pilots')

task('add a table to a publication', async ({ page, sql }) => {
  await goToObjects(page, 'Publications')
  await button(page, 'Change tables of supabase_realtime').click()
  await page.getByLabel('lamps').click()
  await run(page)
  expect(await sql("select pubname from pg_publication_tables where tablename = 'lamps'")).toEqual([['supabase_realtime']])
}, 'drop table if exists public.lamps; create table public.lamps (id bigint primary key)')

task('look at the schema as a diagram', async ({ page }) => {
  await go(page, 'Diagram')
  const diagram = page.getByRole('region', { name: /^Diagram of/ })
  await expect(diagram.getByRole('link', { name: 'boats, refers to harbours' })).toBeVisible()
})

task('create and test a policy', async ({ page, dashboard }) => {
  const anon = clientOf(dashboard.url, dashboard.anonKey)
  expect((await anon.from('charts').select()).data).toEqual([])
  await go(page, 'Policies')
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'charts', exact: true }) })
  await button(card, 'New policy').click()
  await page.getByLabel('Begin with').selectOption('Everybody may read')
  await button(page, /^Try on/).click()
  await expect(page.getByText('It holds for 2 of 2 rows.')).toBeVisible()
  await button(page, 'Add the policy').click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect((await anon.from('charts').select()).data).toHaveLength(2)
}, 'drop table if exists public.charts; create table public.charts (id bigint primary key); insert into public.charts values (1), (2); alter table public.charts enable row level security; grant select on public.charts to anon')

task('fix or ignore a finding of the advisors', async ({ page, dashboard, endPart, sql }) => {
  await go(page, 'Advisors')
  await button(page, /^Fix: .*bollards/).first().click()
  await run(page)
  expect(await sql("select relrowsecurity from pg_class where oid = 'public.bollards'::regclass")).toEqual([['t']])
  await endPart()
  await button(page, /^Ignore: .*capstans/).first().click()
  await write(page.getByLabel('Reason'), 'Only the server uses it.')
  await button(page, 'Ignore it').click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(readFileSync(join(dashboard.project, 'cloch.toml'), 'utf8')).toContain('public.capstans')
}, 'drop table if exists public.bollards, public.capstans; create table public.bollards (id bigint primary key); create table public.capstans (id bigint primary key)')

task('find slow statements, with plan and index', async ({ page, endPart, sql }) => {
  await go(page, 'Advisors')
  await page.getByRole('tab', { name: 'Slow statements' }).click()
  await page.getByRole('table', { name: 'Slow statements' }).getByRole('row').filter({ hasText: 'from public.soundings where place' }).getByRole('button').click()
  const panel = page.getByRole('dialog', { name: 'Statement' })
  await expect(panel.getByRole('region', { name: 'Plan' })).toContainText('Seq Scan')
  await endPart()
  await button(panel, 'Open in SQL').click()
  await page.getByText('Allow writing').click()
  await button(page, 'Run').click()
  await expect(page.getByText(/^1 result in/)).toBeVisible()
  expect(await sql("select count(*) from pg_indexes where tablename = 'soundings' and indexdef like '%(place)%'")).toEqual([['1']])
}, `drop table if exists public.soundings; create table public.soundings as select n as place, n * 2 as depth from generate_series(1, 60000) n;
  analyze public.soundings; select depth from public.soundings where place = 7;`)
