/** The server sends the pages as complete HTML. Their content is there before any script runs, and React hydrates it without changes. */
import type { Browser } from '@playwright/test'
import { expect, taken, test } from '../support/site.ts'
import { allPaths, formPaths, pages } from '../support/pages.ts'
import { lane } from '../support/lane.ts'

const club = 'Gourock Service Club'

async function withoutScript(browser: Browser, url: string) {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(url)
  return page
}

for (const [path, title, heading, canonical = path] of pages) {
  test(`${path} can be read without JavaScript`, async ({ browser, site }) => {
    const page = await withoutScript(browser, site.url + path)
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible()
    await expect(page).toHaveTitle(title === club ? title : `${title} | ${club}`)
    await expect(page.locator('meta[name=description]')).toHaveAttribute('content', /.{40,}/)
    await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'index, follow')
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', `http://127.0.0.1:54321${canonical}`)
    // The page contains the club's settings, and no placeholders for them.
    await expect(page.locator('.brand-name')).toHaveText(club)
    await expect(page.getByRole('contentinfo').getByRole('link', { name: 'club@example.org' })).toBeVisible()
    expect(await page.content()).not.toContain('{cloch:')
    await expect(page.getByText('Loading the form…')).toBeHidden()
    await page.context().close()
  })

  test(`${path} is hydrated without changes`, async ({ page }) => {
    const problems: string[] = []
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    // The heading that the server sent is still in the page at the end: React has not rendered it for the second time.
    await page.addInitScript(() => {
      document.addEventListener('DOMContentLoaded', () => document.querySelector('h1')?.setAttribute('data-sent', ''))
    })
    await page.goto(path)
    await taken(page)
    await expect(page.locator('h1[data-sent]')).toHaveText(heading)
    await expect(page.locator('link[rel=canonical]')).toHaveCount(1)
    expect(problems).toEqual([])
  })
}

for (const path of [...allPaths, ...formPaths.filter((form) => form.includes('?'))]) {
  test(`the largest part of the first screen of ${path} on a phone is there before the scripts`, lane(path === '/my-entry'), async ({ page }) => {
    await page.setViewportSize({ width: 412, height: 823 })
    // The first script waits until the browser has painted the page. Scripts are slow here, so that what they paint is late.
    await page.route('**/assets/*.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      await route.continue().catch(() => undefined)
    })
    await page.addInitScript(() => {
      Object.assign(window, { paints: [] })
      new PerformanceObserver((list) => {
        for (const { startTime, element } of list.getEntries() as (PerformanceEntry & { element: Element | null })[])
          (window as unknown as { paints: object[] }).paints.push({ startTime, text: element?.textContent.slice(0, 60) })
      }).observe({ type: 'largest-contentful-paint', buffered: true })
    })
    await page.goto(path)
    await taken(page)
    await page.waitForTimeout(300)
    const late = await page.evaluate(() => {
      const first = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
      return (window as unknown as { paints: { startTime: number }[] }).paints.filter(({ startTime }) => startTime > first + 500)
    })
    expect(late).toEqual([])
  })
}

test('without JavaScript, a page shows how to write to the club in place of a form', async ({ browser, site }) => {
  for (const path of ['/contact', '/awards-uploads', '/young-artist']) {
    const page = await withoutScript(browser, site.url + path)
    // Playwright does not find texts within <noscript> by their words, so the element is found by its selector.
    const note = page.locator('main noscript p')
    await expect(note).toBeVisible()
    await expect(note).toContainText('The form needs JavaScript')
    await expect(note.getByRole('link', { name: 'club@example.org' })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Submit/ })).toHaveCount(0)
    await page.context().close()
  }
})

test('structured data contains the club and the four awards', async ({ request }) => {
  const structured = async (path: string) => {
    const page = await (await request.get(path)).text()
    return JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)?.[1] ?? '') as Record<string, unknown>
  }
  expect(await structured('/')).toMatchObject({ '@type': 'NGO', name: club, email: 'club@example.org', url: 'http://127.0.0.1:54321' })
  const awards = await structured('/youth-awards')
  expect(awards).toMatchObject({ '@type': 'ItemList' })
  expect(awards.itemListElement).toHaveLength(4)
})

test('a cached page is revalidated, and sent again only if it has changed', async ({ request }) => {
  const first = await request.get('/events')
  expect(first.headers()).toMatchObject({ 'cache-control': 'no-cache', 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  const again = await request.get('/events', { headers: { 'if-none-match': first.headers().etag ?? '' } })
  expect(again.status()).toBe(304)
})

test('with a query, the app shows the state for this query only', async ({ page }) => {
  await page.goto('/young-artist?view=form')
  await expect(page.getByRole('heading', { level: 1, name: 'Young Artist entry' })).toBeVisible()
  const sent = async (query: string) => /<h1.*?>(.*?)<\/h1>/.exec(await (await page.request.get(`/young-artist${query}`)).text())?.[1]
  expect(await sent('')).toBe('Young Artist Awards')
  expect(await sent('?view=form')).toBe('Young Artist entry')
  // For these queries, the build has rendered no page. The server sends the shell, and the app renders the page. The shell's only heading is for
  // browsers without JavaScript.
  for (const query of ['?view=other', '?view=form&from=mail']) expect(await sent(query)).toBe('At Gourock’s service since 1925')
  await page.goto('/young-artist?view=form&from=mail')
  await expect(page.getByRole('heading', { level: 1, name: 'Young Artist entry' })).toBeVisible()
})

test('a button that is pressed before the app is loaded takes effect later', async ({ page }) => {
  let letGo: () => void = () => undefined
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await page.route('**/assets/react-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/young-artist')
  await page.getByRole('button', { name: 'Submit Nomination' }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Young Artist Awards' })).toBeVisible()
  letGo()
  await expect(page.getByRole('heading', { level: 1, name: 'Young Artist entry' })).toBeVisible()
})

test('the app keeps the scroll position from before it was loaded, and a reload keeps it too', async ({ page }) => {
  let letGo: () => void = () => undefined
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await page.route('**/assets/react-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/young-artist?view=form')
  await page.mouse.move(400, 400)
  await page.mouse.wheel(0, 900)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(900)
  letGo()
  await taken(page)
  expect(await page.evaluate(() => window.scrollY)).toBe(900)
  await page.reload()
  await taken(page)
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(900)
})
