/** The browser keeps the choice of compact rows, the navigation fits a window of usual height, and the search lists matching names first. */
import { violations } from '../support/axe.ts'
import { expect, open, runSql, test } from '../support/dashboard.ts'

test('compact rows show 40 lines of the log at 900 px, and the choice is kept', async ({ owner, dashboard }) => {
  await owner.setViewportSize({ width: 1440, height: 900 })
  for (let row = 0; row < 50; row += 1)
    await fetch(`${dashboard.url}/rest/v1/open_book?id=eq.${row}`, { headers: { apikey: dashboard.serviceKey } })
  await open(owner, dashboard, '/logs', 'Logs')
  const lines = owner.locator('[data-log] tbody tr')
  await expect(lines.nth(45)).toBeAttached()
  const inView = () => lines.evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length)
  expect(await inView()).toBeLessThan(30)
  await owner.getByRole('button', { name: 'Rows: comfortable. Change to compact' }).click()
  await expect.poll(inView).toBeGreaterThanOrEqual(40)
  expect(await violations(owner)).toEqual([])
  await owner.reload()
  await expect.poll(inView).toBeGreaterThanOrEqual(40)
  await open(owner, dashboard, '/functions', 'Functions')
  const height = await owner.locator('tbody tr').first().evaluate((row) => row.getBoundingClientRect().height)
  expect(height).toBeGreaterThanOrEqual(28)
  expect(height).toBeLessThanOrEqual(32)
  await owner.getByRole('button', { name: 'Rows: compact. Change to comfortable' }).click()
})

test('the navigation fits 900 px', async ({ owner, dashboard }) => {
  await owner.setViewportSize({ width: 1280, height: 900 })
  await open(owner, dashboard, '/', /./)
  const overhang = await owner
    .getByRole('navigation', { name: 'Pages' })
    .evaluate((pages) => pages.scrollHeight - pages.clientHeight)
  expect(overhang).toBeLessThanOrEqual(0)
})

test('the locks of the tables form a column, also beside the current table and a long count', async ({ owner, dashboard }) => {
  await runSql(owner, dashboard, `create table public.many as select n from generate_series(1, 20000) n; analyze public.many`)
  await open(owner, dashboard, '/tables/public/boats', 'boats')
  const list = owner.getByRole('navigation', { name: 'Tables' })
  await expect(list.getByText('20,000')).toBeVisible()
  const locks = list.getByRole('img', { name: /^Row-level security/ })
  const edges = await locks.evaluateAll((all) => all.map((lock) => Math.round(lock.getBoundingClientRect().left)))
  expect(edges.length).toBeGreaterThan(2)
  expect([...new Set(edges)]).toHaveLength(1)
  await runSql(owner, dashboard, `drop table public.many`)
})

test('the search ranks a table before a page that only mentions it, and contains actions', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/', /./)
  await owner.keyboard.press('Control+k')
  const field = owner.getByRole('combobox', { name: 'Pages, tables and actions' })
  await field.pressSequentially('har')
  await expect(owner.getByRole('option').first()).toHaveText(/harbours/)
  await field.fill('new table')
  await owner.keyboard.press('Enter')
  await expect(owner.getByRole('dialog', { name: /table/i })).toBeVisible()
  await expect(owner).toHaveURL(/\/tables\?new=table$/)
})

test('? lists the keys, and is a character in text fields', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/users', 'Users')
  await owner.keyboard.press('?')
  const keys = owner.getByRole('dialog', { name: 'Keys' })
  await expect(keys).toContainText('Ctrl K')
  expect(await violations(owner)).toEqual([])
  await owner.keyboard.press('Escape')
  await expect(keys).toBeHidden()
  await open(owner, dashboard, '/settings', 'Settings')
  await owner.getByLabel('Find').pressSequentially('a?')
  await expect(owner.getByLabel('Find')).toHaveValue('a?')
  await expect(keys).toBeHidden()
})
