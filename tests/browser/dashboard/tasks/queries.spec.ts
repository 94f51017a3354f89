/** Tasks of the pages SQL, and Cron and queues. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { clientOf } from '../../support/club.ts'
import { button, expect, go, run, task, write, writeCode } from '../../support/tasks.ts'

task('run statements, and the selection alone', async ({ page, dashboard, endPart }) => {
  const buoys = () => clientOf(dashboard.url, dashboard.serviceKey).from('buoys').select('id').order('id')
  await go(page, 'SQL')
  await page.getByText('Allow writing').click()
  await writeCode(page, 'SQL', 'insert into public.buoys values (1);\ninsert into public.buoys values (default) returning id;')
  await button(page, 'Run').click()
  await expect(page.getByText(/^2 results in/)).toBeVisible()
  expect((await buoys()).data).toEqual([{ id: 1 }, { id: 100 }])
  await endPart()
  await writeCode(page, 'SQL', 'insert into public.buoys values (2);\ninsert into public.buoys values (3);')
  await page.keyboard.press('Shift+Home')
  await button(page, 'Run').click()
  await expect(page.getByText(/^1 result in/)).toBeVisible()
  expect((await buoys()).data).toEqual([{ id: 1 }, { id: 3 }, { id: 100 }])
}, 'drop table if exists public.buoys; create table public.buoys (id bigint primary key default 100)')

task('see the plan of a query', async ({ page }) => {
  await go(page, 'SQL')
  await writeCode(page, 'SQL', 'select * from public.boats join public.harbours on harbours.id = harbour_id')
  await button(page, 'Explain').click()
  await expect(page.getByRole('region', { name: 'Plan' })).toContainText(/Join|Loop/)
})

task('draw a chart, save a snippet, find an earlier query', async ({ page, dashboard, endPart }) => {
  await go(page, 'SQL')
  await writeCode(page, 'SQL', 'select mood::text, count(*) from public.boats group by 1')
  await button(page, 'Run').click()
  await button(page, 'Chart').click()
  await expect(page.getByRole('region', { name: 'Chart' })).toContainText('wild')
  await endPart()
  await button(page, 'Snippets').click()
  await write(page.getByLabel('Save what is in the editor as'), 'Moods of boats')
  await button(page, 'Save').click()
  await expect.poll(() => existsSync(join(dashboard.project, 'snippets/Moods of boats.sql'))).toBe(true)
  await page.keyboard.press('Escape')
  await endPart()
  await writeCode(page, 'SQL', 'select 2')
  await button(page, 'History').click()
  await button(page, /^select mood::text/).first().click()
  await expect(page.getByRole('textbox', { name: 'SQL' })).toContainText('select mood::text')
})

task('change a scheduled job', async ({ page, sql }) => {
  await go(page, 'Cron and queues')
  await button(page, 'Change wind the clock').click()
  await write(page.getByLabel('When'), '15 4 * * 1')
  await run(page)
  expect(await sql("select schedule from cron.job where jobname = 'wind the clock'")).toEqual([['15 4 * * 1']])
}, "select cron.schedule('wind the clock', '0 3 * * *', 'select 1')")

task('create a queue, send a message', async ({ page, endPart, sql }) => {
  await go(page, 'Cron and queues')
  await button(page, 'New queue').click()
  await write(page.getByLabel('Name', { exact: true }), 'letters')
  await run(page)
  expect(await sql("select count(*) from pgmq.list_queues() where queue_name = 'letters'")).toEqual([['1']])
  await endPart()
  await button(page, 'letters').click()
  await write(page.getByLabel('Message (JSON)'), '{"to": "the mate"}')
  await button(page, 'Send').click()
  await expect(page.getByRole('dialog').getByRole('listitem')).toContainText('the mate')
  expect(await sql("select message ->> 'to' from pgmq.q_letters")).toEqual([['the mate']])
}, "select pgmq.drop_queue('letters') where exists (select from pgmq.list_queues() where queue_name = 'letters')")
