/**
 * Home shows the health of the project. Each part is a text with a link to its page. This is true for every role, at every width, and when the server
 * cannot read one of the parts.
 */
import type { Page, Route } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { expect, open, settled, signedInViewer, test } from '../support/dashboard.ts'
import { lane } from '../support/lane.ts'

const card = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })

/** Changes the server's response to requests with this path. */
const answered = (page: Page, path: string, change: (data: Record<string, unknown>) => unknown) =>
  page.route(`**/_/api${path}`, async (route: Route) => {
    const response = await route.fetch()
    await route.fulfill({ json: change(response.ok() ? await response.json() : {}) })
  })

const health = { replication: { standbys: [], slots: [] }, requests: { waiting: 0, done: 0, failed: 0, last_failed_at: null } }
const cards = ['Requests', 'Errors', 'Latency', 'Backup', 'Disk', 'Advisors', 'Functions', 'Jobs and webhooks']

test('every card shows the state of its part, and links to its page', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/', /./)
  await settled(page)
  for (const name of cards) await expect(card(page, name), name).toContainText(/Healthy|Warning|Problem|Not in use/)
  await expect(card(page, 'Backup')).toContainText('No backup is configured.')
  await expect(card(page, 'Functions')).toContainText(/Last (changed|deployed): [a-z]/)
  await expect(card(page, 'Jobs and webhooks')).toContainText(/\d+ messages? in \d+ queues?\./)
  await expect(card(page, 'Replication')).toHaveCount(0)
  await expect(page.getByRole('status').filter({ hasText: /healthy|problem|warning/ })).toBeVisible()
  for (const [name, heading] of [['Backup', 'Backups'], ['Advisors', 'Advisors'], ['Latency', 'Metrics'], ['Jobs and webhooks', 'Cron and queues']] as const) {
    await card(page, name).getByRole('link').click()
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await page.goBack()
  }
})

test('the first steps disappear when all required steps are done', async ({ owner: page, dashboard }) => {
  await answered(page, '/project', (data) => ({ ...data, steps: { policy: false, tried: false } }))
  await open(page, dashboard, '/', /./)
  const steps = page.getByRole('list').filter({ has: page.getByRole('link', { name: 'Choose where backups go' }) })
  await expect(steps.getByRole('img', { name: 'Done' }), 'a table and users are there').toHaveCount(2)
  await expect(steps.getByRole('link', { name: 'Say who may read it' })).toBeVisible()
  await answered(page, '/project', (data) => ({ ...data, steps: { policy: true, tried: false } }))
  await answered(page, '/backups', (data) => ({ ...data, enabled: true }))
  await open(page, dashboard, '/', /./)
  await settled(page)
  await expect(card(page, 'Backup')).toContainText('The backup has not started yet.')
  await expect(steps).toHaveCount(0)
})

test('problems are described in words', async ({ owner: page, dashboard }) => {
  const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
  await answered(page, '/backups', (data) => ({
    ...data,
    enabled: true,
    status: {
      target: '/mnt/backup', restorable_until: at(7200), base_running: false, drill_running: false, waiting_files: 0, waiting_log_bytes: 0,
      failure: { since: at(7200), reason: 'the target is full' }, last_drill: { ended: at(3 * 86_400) },
    },
  }))
  await answered(page, '/health', () => ({
    replication: { standbys: [{ name: 'second', state: 'streaming', lag_seconds: 300 }], slots: [] },
    requests: { waiting: 0, done: 3, failed: 3, last_failed_at: at(60) },
  }))
  await open(page, dashboard, '/', /./)
  await settled(page)
  await expect(card(page, 'Backup')).toContainText('the target is full')
  await expect(card(page, 'Backup')).toContainText('Last restore drill: 3 days ago.')
  await expect(card(page, 'Jobs and webhooks')).toContainText('3 of 3 webhook requests failed in the last hour')
  await expect(card(page, 'Replication')).toContainText('second: streaming, 300 s behind.')
  // The page of backups shows the same text.
  await card(page, 'Backup').getByRole('link').click()
  await expect(page.getByRole('alert')).toContainText('the target is full')
})

test('a part that cannot be loaded shows this, and is loaded again', async ({ owner: page, dashboard }) => {
  await page.route('**/_/api/advisors', (route) => route.fulfill({ status: 500, json: { code: 'internal', message: 'Something failed here' } }))
  await open(page, dashboard, '/', /./)
  await expect(card(page, 'Advisors').getByRole('alert')).toContainText('It could not be read. Something failed here.')
  await expect(card(page, 'Disk')).toContainText('free')
  expect(await violations(page)).toEqual([])
  await page.unroute('**/_/api/advisors')
  await page.getByRole('button', { name: 'Try again: Advisors' }).click()
  await expect(card(page, 'Advisors')).toContainText(/the schema/)
})

test('a viewer sees the health, and no steps that a viewer cannot do', async ({ owner, browser, dashboard }) => {
  const viewer = await signedInViewer(owner, browser, dashboard)
  await open(viewer, dashboard, '/', /./)
  await settled(viewer)
  for (const name of cards) await expect(card(viewer, name), name).toContainText(/Healthy|Warning|Problem|Not in use/)
  await expect(viewer.getByRole('alert')).toHaveCount(0)
  await expect(viewer.getByRole('heading', { name: 'First steps' })).toHaveCount(0)
  await viewer.context().close()
})

test('an API key is created, accepted, and refused after it is revoked', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/', /./)
  await page.getByRole('button', { name: 'New API key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New API key' })
  await dialog.getByRole('radio', { name: /^secret/ }).check()
  const name = `worker ${Date.now()}`
  await dialog.getByLabel('Name (optional)').fill(name)
  const created = page.waitForResponse((response) => response.url().endsWith('/_/api/api-keys') && response.request().method() === 'POST')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const { key } = (await (await created).json()) as { key: string }
  await dialog.getByRole('button', { name: 'Show Key' }).click()
  await expect(dialog.getByText(key, { exact: true })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()
  const status = async () => (await page.request.get(`${dashboard.url}/auth/v1/admin/users`, { headers: { apikey: key } })).status()
  expect(await status(), 'the server that created the key accepts it at once').toBe(200)
  const row = page.getByRole('table', { name: 'API keys' }).getByRole('row').filter({ hasText: name })
  await expect(row).toContainText('valid')
  await row.getByRole('button', { name: `Revoke ${name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(row).toContainText('revoked')
  expect(await status(), 'as auth refuses every token that is not valid').toBe(403)
  await expect(page.getByRole('table', { name: 'API keys' }).getByRole('row').filter({ hasText: 'the project’s own' })).toHaveCount(2)
})

for (const [width, colorScheme] of [
  [1440, 'light'],
  [1440, 'dark'],
  [900, 'light'],
  [390, 'dark'],
] as const)
  test(`the health is readable at ${width}, ${colorScheme}`, lane(width === 390), async ({ owner: page, dashboard }, info) => {
    await page.setViewportSize({ width, height: width < 600 ? 844 : 1000 })
    await page.emulateMedia({ colorScheme })
    await answered(page, '/health', () => health)
    await answered(page, '/metrics?range=1h', (data) => {
      const times = Array.from({ length: 60 }, (_, index) => Number(data.to) - (59 - index) * 60)
      const wave = (size: number) => times.map((_, index) => size * (1.2 + Math.sin(index / 5)))
      const series = { ...(data.series as object), requests_rest: wave(4), requests_auth: wave(1), errors_5xx: times.map((_, index) => (index === 40 ? 0.2 : 0)), latency_p50_ms: wave(6), latency_p99_ms: wave(90) }
      return { ...data, step: 60, times, series, started_at: new Date((Number(data.to) - 7200) * 1000).toISOString() }
    })
    await open(page, dashboard, '/', /./)
    await settled(page)
    await expect(card(page, 'Requests').getByRole('img', { name: /^Requests: highest/ })).toBeVisible()
    await page.screenshot({ path: info.outputPath(`home-${width}-${colorScheme}.png`), fullPage: true })
    expect(await violations(page)).toEqual([])
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(overhang).toBeLessThanOrEqual(0)
  })
