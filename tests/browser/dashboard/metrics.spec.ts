/** The test causes traffic and errors, and the page shows them. It is used with pointer and keyboard on a wide screen, and on a phone. */
import { violations } from '../support/axe.ts'
import { clientOf } from '../support/club.ts'
import { expect, open, settled, test } from '../support/dashboard.ts'
import { lane } from '../support/lane.ts'

const screens = [
  { name: 'a desk', width: 1440, height: 900, colorScheme: 'light' },
  { name: 'a phone', width: 390, height: 844, colorScheme: 'dark' },
] as const

/** The server takes a sample every ten seconds. The page requests the samples in the same interval. */
const patient = { timeout: 120_000 }

for (const { name, width, height, colorScheme } of screens)
  test(`requests and errors are visible on ${name}`, lane(colorScheme === 'light'), async ({ owner: page, dashboard }) => {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    await open(page, dashboard, '/metrics', 'Metrics')
    const chart = (title: string) => page.getByRole('figure', { name: title, exact: true })
    await expect(chart('Requests')).toBeVisible(patient)
    const client = clientOf(dashboard.url, dashboard.anonKey)
    for (let round = 0; round < 5; round += 1) {
      await client.from('boats').select()
      expect((await client.from('nothing').select()).error).not.toBeNull()
    }
    await expect(chart('Requests').getByText(/^Highest .*\/s, /)).toBeVisible(patient)
    await expect(chart('Errors').getByText(/^Highest .*\/s, /)).toBeVisible(patient)
    await expect(chart('Latency').getByText(/^Highest .* m?s, /)).toBeVisible(patient)
    await expect(chart('Memory').getByText(/^\d.* MB$/).first()).toBeVisible()
    await expect(chart('Age of the backup')).toBeHidden()
    expect(await violations(page)).toEqual([])
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(overhang).toBeLessThanOrEqual(0)

    const errors = page.getByRole('slider', { name: 'Errors by time' })
    await errors.focus()
    await page.keyboard.press('Home')
    await expect(errors).toHaveAttribute('aria-valuenow', '0')
    await expect(errors).toHaveAttribute('aria-valuetext', /^\d\d:\d\d:\d\d: 5xx .*\/s, 4xx .*\/s$/)
    await expect(page.getByRole('slider', { name: 'Latency by time' })).toHaveAttribute('aria-valuenow', '0')
    await page.keyboard.press('ArrowRight')
    await expect(errors).toHaveAttribute('aria-valuenow', '1')
    await errors.hover({ position: { x: 0, y: 20 } })
    await expect(errors).toHaveAttribute('aria-valuenow', '0')
  })

test('a range without two values shows this, and the URL contains the range', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/metrics', 'Metrics')
  await page.route('**/_/api/metrics?range=7d', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ json: { ...(await response.json()), times: [], series: {} } })
  })
  await page.getByRole('button', { name: '7d' }).click()
  await expect(page).toHaveURL(/range=7d/)
  await settled(page)
  await expect(page.getByText('There is nothing to draw yet.')).toBeVisible()
  await expect(page.getByText(/has one every 5 minutes/)).toBeVisible()
  expect(await violations(page)).toEqual([])
})

test('gaps and the time before the start have no line', async ({ owner: page, dashboard }) => {
  const to = 1_800_000_000
  const times = [to - 1200, to - 1190, to - 1180, to - 20, to - 10, to]
  await page.route('**/_/api/metrics?*', (route) =>
    route.fulfill({
      json: {
        node: 'elsewhere:54321',
        range: '1h',
        step: 10,
        from: to - 3600,
        to,
        times,
        series: { memory_bytes: [50e6, 51e6, 52e6, 60e6, 61e6, 62e6], latency_p50_ms: [1, null, 2, null, null, 3] },
        started_at: new Date((to - 1800) * 1000).toISOString(),
      },
    }),
  )
  await open(page, dashboard, '/metrics', 'Metrics')
  await expect(page.getByText('elsewhere:54321')).toBeVisible()
  const moves = (title: string) =>
    page
      .getByRole('figure', { name: title, exact: true })
      .locator('path.stroke-photographer')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')?.match(/M/g)?.length ?? 0))
  expect(await moves('Memory'), 'two lines').toEqual([2, 0])
  expect(await moves('Latency'), 'three points').toEqual([0, 3])
  await expect(page.getByRole('figure', { name: 'Requests', exact: true })).toBeHidden()
  await page.route('**/_/api/metrics?*', (route) => route.abort())
  await expect(page.getByRole('alert'), 'what is drawn is not of now').toBeVisible(patient)
  await expect(page.getByRole('figure', { name: 'Memory', exact: true })).toBeVisible()
})
