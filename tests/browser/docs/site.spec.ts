/**
 * The documentation in the program: the search works without a network, both colour schemes work, and no page violates the content security policy.
 */
import { expect, test as base, type Page } from '@playwright/test'
import { startProject } from '../../support/program.mjs'
import { screens, violations } from '../support/axe.ts'
import { lane } from '../support/lane.ts'

/** URL of a server that already has the site. If it is set, the test does not start the program. This is useful for work on web/docs. */
const given = process.env.CLOCH_TEST_DOCS_URL

const test = base.extend<object, { origin: string }>({
  origin: [
    async ({}, use) => {
      if (given !== undefined) return use(given)
      const cloch = await startProject({ from: null })
      await use(cloch.url)
      await cloch.remove()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

/**
 * Collects the page's requests to other origins, and the errors in the browser's console, which include violations of the content security policy.
 */
async function watched(page: Page, origin: string) {
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.route(
    (url) => url.origin !== origin,
    async (route) => {
      problems.push(route.request().url())
      await route.abort()
    },
  )
  return problems
}

test('search finds a page by a word of its text, without a request to another origin', async ({ page, origin }) => {
  const problems = await watched(page, origin)
  await page.goto(`${origin}/_/docs/`)
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('slow-caller queue')
  const found = page.getByRole('option').filter({ hasText: 'Glossary' }).first()
  await expect(found).toBeVisible()
  await found.getByRole('link').click()
  await expect(page).toHaveURL(/\/_\/docs\/GLOSSARY\.html/)
  await expect(page.getByRole('heading', { level: 1, name: 'Glossary' })).toBeVisible()
  expect(problems).toEqual([])
})

test('the home page lists all kinds, and the sidebar leads to each page', async ({ page, origin }) => {
  const problems = await watched(page, origin)
  await page.goto(`${origin}/_/docs`)
  const contents = page.getByRole('navigation', { name: 'All pages' })
  for (const kind of ['Tutorials', 'How-to guides', 'Reference', 'Explanation']) {
    await expect(contents.getByRole('heading', { name: kind })).toBeVisible()
  }
  await contents.getByRole('link', { name: 'A first app in 15 minutes' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'A first app in 15 minutes' })).toBeVisible()
  await page.getByRole('complementary').getByRole('link', { name: 'Configuration' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Configuration' })).toBeVisible()
  expect(problems).toEqual([])
})

test('the chosen colour scheme is kept', async ({ page, origin }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${origin}/_/docs/start.html`)
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const day = await background()
  await page.getByRole('switch', { name: /dark theme/i }).first().click()
  await expect.poll(background).not.toBe(day)
  const night = await background()
  await page.reload()
  expect(await background()).toBe(night)
})

for (const [at, { name, colorScheme, width }] of screens.entries()) {
  test(`the pages are accessible ${name}`, lane(at === 0), async ({ page, origin }) => {
    const problems = await watched(page, origin)
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    for (const path of ['', 'start.html', 'configuration.html', 'decisions/']) {
      const answer = await page.goto(`${origin}/_/docs/${path}`)
      expect(answer?.status(), path).toBe(200)
      expect(await violations(page), path).toEqual([])
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      expect(wide, `${path} scrolls sideways`).toBeLessThanOrEqual(0)
    }
    expect(problems).toEqual([])
  })
}

test('the layout of a page does not shift while it loads', async ({ page, origin }) => {
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  for (const path of ['', 'dashboard', 'configuration']) {
    await page.goto(`${origin}/_/docs/${path}`)
    // The page's script writes the scroll position into the bar. When the bar contains it, the script has run.
    await page.evaluate(() => window.scrollTo(0, 400))
    await expect(page.locator('.VPNavBar')).not.toHaveClass(/\btop\b/)
    await page.evaluate(() => document.fonts.ready)
    const moved = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0))
    expect(moved, path).toBeLessThan(0.01)
  }
})
