/**
 * The page of slow statements, on a wide screen and on a phone: the list and its order, a plan with an index suggestion, the link to the page SQL,
 * and the reset.
 */
import type { Page } from '@playwright/test'
import { invited } from '../../support/dashboard.mjs'
import { violations } from '../support/axe.ts'
import { settled } from '../support/dashboard.ts'
import { lane } from '../support/lane.ts'
import { expect, sql, test } from '../support/operator.ts'

const SLOW = "select id, value from public.many where name = 'row 7'"

const screens = [
  { name: 'a desk', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'a phone', width: 390, height: 844, colorScheme: 'dark' },
] as const

const table = (page: Page) => page.getByRole('table', { name: 'Slow statements' })
const row = (page: Page) => table(page).getByRole('row').filter({ hasText: 'from public.many where name' })

async function openList(page: Page, url: string, query = '') {
  await page.goto(`${url}/_/advisors?tab=statements${query}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Advisors' })).toBeVisible()
  await settled(page)
}

for (const { name, width, height, colorScheme } of screens)
  test(`a slow statement, its plan and its index on ${name}`, lane(colorScheme === 'light'), async ({ page, dashboard }, info) => {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    await sql(dashboard, SLOW)
    await sql(dashboard, SLOW)
    await page.goto(`${dashboard.url}/_/advisors`)
    await page.getByRole('tab', { name: 'Slow statements' }).click()
    await expect(page).toHaveURL(/tab=statements/)
    await expect(row(page)).toContainText('postgres')
    await page.screenshot({ path: info.outputPath(`list-${width}.png`), fullPage: true })
    expect(await violations(page)).toEqual([])
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(overhang).toBeLessThanOrEqual(0)

    await row(page).getByRole('button').click()
    const panel = page.getByRole('dialog', { name: 'Statement' })
    await expect(panel.getByRole('region', { name: 'Text of the statement' })).toContainText('name = $1')
    await expect(panel.getByRole('region', { name: 'Plan' })).toContainText('Seq Scan')
    await expect(panel.getByText(/^The plan reads all of public\.many \(about 1,000,000 rows\)/)).toBeVisible()
    await expect(page).toHaveURL(/statement=/)
    await page.screenshot({ path: info.outputPath(`panel-${width}.png`) })
    expect(await violations(page)).toEqual([])

    await panel.getByRole('button', { name: 'Open in SQL' }).click()
    await expect(page.getByRole('tab', { name: 'create index concurrentl…' })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByText('create index concurrently on public.many (name);')).toBeVisible()
    const indexes = "select count(*) from pg_index where indrelid = 'public.many'::regclass"
    expect(await sql(dashboard, indexes), 'nothing has run').toEqual([['1']])
    const tabs = await page.getByRole('tab').count()
    await page.reload()
    await expect(page.getByRole('tab')).toHaveCount(tabs)
    await page.goBack()
    await expect(panel).toBeVisible()
  })

test('the URL contains the order', async ({ page, dashboard }) => {
  await sql(dashboard, SLOW)
  for (let round = 0; round < 5; round += 1) await sql(dashboard, 'select count(*) from public.schools')
  await openList(page, dashboard.url)
  await page.getByLabel('Order').selectOption('Calls')
  await expect(page).toHaveURL(/order=calls/)
  await page.reload()
  await expect(page.getByLabel('Order')).toHaveValue('calls')
  const calls = async () => {
    const cells = await table(page).locator('tbody tr td:nth-child(3)').allTextContents()
    return cells.map((text) => Number(text.replaceAll(',', '')))
  }
  await expect.poll(async () => (await calls()).length).toBeGreaterThan(1)
  const shown = await calls()
  expect(shown).toEqual([...shown].sort((a, b) => b - a))
})

test('an owner resets the statistics after a confirmation', async ({ page, dashboard }) => {
  await sql(dashboard, SLOW)
  await openList(page, dashboard.url)
  await expect(row(page)).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  const confirm = page.getByRole('dialog', { name: 'Reset the statistics of statements?' })
  expect(await violations(page)).toEqual([])
  await confirm.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(row(page)).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await confirm.getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByText('The statistics begin anew')).toBeVisible()
  await expect(row(page)).toBeHidden()
})

test('a developer cannot reset the statistics, and a viewer sees why there is no list', async ({ page, dashboard }) => {
  await sql(dashboard, 'select count(*) from public.boats')
  for (const role of ['developer', 'viewer'] as const) {
    const operator = await invited(dashboard.owner, role, `${role}-${Date.now()}@example.com`)
    const [name, value] = operator.cookie.split('=')
    await page.context().clearCookies()
    await page.context().addCookies([{ name: name ?? '', value: value ?? '', url: `${dashboard.url}/_` }])
    await openList(page, dashboard.url)
    await expect(page.getByRole('button', { name: 'Reset' })).toHaveCount(0)
    if (role === 'viewer') await expect(page.getByText('Slow statements are for developers')).toBeVisible()
    else await expect(table(page)).toBeVisible()
    expect(await page.getByRole('alert').allTextContents(), role).toEqual([])
  }
})

test('missing statistics, no statements, no plan and a failure each have a message', async ({ page, dashboard }) => {
  await sql(dashboard, 'select count(*) from public.boats')
  const list = '**/_/api/statements?*'
  await page.route(list, (route) =>
    route.fulfill({ json: { available: false, statements: [], message: 'PostgreSQL has not loaded the library.', hint: 'Restart Cloch.' } }),
  )
  await openList(page, dashboard.url)
  await expect(page.getByText('Restart Cloch.')).toBeVisible()
  await page.unroute(list)
  await page.route(list, (route) => route.fulfill({ json: { available: true, statements: [], count: 0, hidden: 3, since: null } }))
  await openList(page, dashboard.url)
  await expect(page.getByText('No statement of the project has run yet.')).toBeVisible()
  await expect(page.getByText(/^.*3 more are hidden/)).toBeVisible()
  await page.unroute(list)
  await page.route(list, (route) => route.fulfill({ status: 500, json: { code: 'internal', message: 'Something failed here' } }))
  await openList(page, dashboard.url)
  await expect(page.getByRole('alert')).toContainText('Something failed here')
  await page.unroute(list)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(table(page)).toBeVisible()

  await sql(dashboard, "select now() - interval '2 days' as earlier")
  await openList(page, dashboard.url)
  await table(page).getByRole('button', { name: /earlier/ }).click()
  await expect(page.getByRole('dialog').getByText(/syntax error/)).toBeVisible()
  await expect(page.getByRole('dialog').getByText(/Explain the statement with constants/)).toBeVisible()
  expect(await violations(page)).toEqual([])
})
