/** The title, the links and the accessibility of every page. */
import type { Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { allPaths, formPaths, pages, personalPages } from '../support/pages.ts'
import { expect, taken, test, withoutConfig } from '../support/site.ts'
import { lane } from '../support/lane.ts'

for (const [path, title, heading, canonical = path] of pages) {
  test(`${path} has its title, description and address`, async ({ page }) => {
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible()
    await expect(page).toHaveTitle(title === 'Gourock Service Club' ? title : `${title} | Gourock Service Club`)
    await expect(page.locator('meta[name=description]')).toHaveAttribute('content', /.{40,}/)
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', new RegExp(`${canonical}$`))
    expect(problems).toEqual([])
  })
}

for (const [path, title, heading] of personalPages) {
  test(`${path} has its title and description, and search engines do not list it`, async ({ page }) => {
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible()
    await taken(page)
    await expect(page).toHaveTitle(`${title} | Gourock Service Club`)
    await expect(page.locator('meta[name=description]')).toHaveAttribute('content', /.{40,}/)
    await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
    await expect(page.locator('link[rel=canonical]')).toHaveCount(0)
    expect(problems).toEqual([])
  })
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1440]) {
    // Two of the four combinations cover both colour schemes and both widths. axe takes most of the time and finds no further violations in the other
    // two.
    const isAudited = (colorScheme === 'light') === (width === 1440)
    test.describe(`${colorScheme}, ${width} px wide`, lane(isAudited && width === 360), () => {
      test.use({ colorScheme, viewport: { width, height: 900 }, contextOptions: { reducedMotion: 'reduce' } })

      test(`every page fits the screen${isAudited ? ' and is free of accessibility violations' : ''}`, async ({ page }) => {
        test.setTimeout(180_000)
        for (const path of [...allPaths, '/nowhere']) {
          await page.goto(path)
          await page.getByRole('heading', { level: 1 }).waitFor()
          if (isAudited) await audit(page, path)
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
          expect(overflow, `${path} is wider than the screen`).toBeLessThanOrEqual(0)
        }
      })

      if (!isAudited) return

      test('every form is free of violations, before and after it was refused', async ({ page }) => {
        test.setTimeout(180_000)
        for (const path of formPaths) {
          await page.goto(path)
          const submit = page.locator('form button[type=submit]')
          await submit.waitFor()
          await audit(page, path)
          await submit.click()
          await expect(page.getByRole('group', { name: /another look/ })).toBeFocused()
          await audit(page, `${path}, refused`)
        }
      })

      test('menus and dialogs are free of violations', async ({ page }) => {
        await page.goto('/events')
        await taken(page)
        await page.getByRole('button', { name: /^View details/ }).first().click()
        await expect(page.getByRole('dialog', { name: 'Youth Awards' })).toBeVisible()
        await audit(page, 'event dialog')
        await page.keyboard.press('Escape')
        await page.getByRole('button', { name: width < 1296 ? 'Menu' : 'Youth Awards menu' }).click()
        await expect(page.getByRole('link', { name: 'Young Musician', exact: true }).first()).toBeVisible()
        await audit(page, 'menu')
      })
    })
  }
}

async function audit(page: Page, where: string) {
  expect(await violations(page), where).toEqual([])
}

test('/youth and /youth-awards are one page: the awards, the evening, the programmes, and ways to help', async ({ page }) => {
  const shown = async (path: string) => {
    await page.goto(path)
    await taken(page)
    return page.getByRole('main').innerText()
  }
  const hub = await shown('/youth-awards')
  expect(await shown('/youth')).toBe(hub)
  for (const text of ['Young Musician of the Year 2024', 'Upcoming Event', 'Young Artist Competition', 'Youth Awards Evening', 'Support Youth Development']) {
    expect(hub.toLowerCase()).toContain(text.toLowerCase())
  }
  for (const [name, href] of [
    ['View Event Details', '/events'],
    ['Volunteer with Us', '/get-involved'],
    ['Young Citizen Awards', '/young-citizen'],
  ] as const) {
    await expect(page.getByRole('main').getByRole('link', { name, exact: true })).toHaveAttribute('href', href)
  }
})

test('the dropdown contains the overview and its pages, opens on hover, and closes with Escape', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/young-artist')
  await taken(page)
  const menu = page.getByRole('button', { name: 'Youth Awards menu' })
  await expect(menu).toHaveAttribute('aria-expanded', 'false')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Youth Awards' }).hover()
  await expect(menu).toHaveAttribute('aria-expanded', 'true')
  const list = page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').filter({ has: menu }).getByRole('list')
  await expect(list.getByRole('link')).toHaveText(['Overview', 'Young Citizen', 'Young Musician', 'Young Photographer', 'Young Artist'])
  await expect(list.getByRole('link', { name: 'Young Artist' })).toHaveAttribute('aria-current', 'page')
  await page.mouse.move(10, 700)
  await expect(menu).toHaveAttribute('aria-expanded', 'false')
  await menu.focus()
  await page.keyboard.press('Enter')
  await expect(menu).toHaveAttribute('aria-expanded', 'true')
  await page.keyboard.press('Tab')
  await expect(list.getByRole('link', { name: 'Overview' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toBeFocused()
  await expect(menu).toHaveAttribute('aria-expanded', 'false')
})

test('the drawer links to every page and closes after a click', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Menu' }).click()
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await expect(drawer.getByRole('link')).toHaveCount(13)
  await drawer.getByRole('link', { name: 'Club History' }).click()
  await expect(page).toHaveURL(/\/club-history$/)
  await expect(drawer).toBeHidden()
})

test('the drawer closes when the browser goes back', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  await taken(page)
  await page.getByRole('button', { name: 'Menu' }).click()
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await drawer.getByRole('link', { name: 'Club History' }).click()
  await expect(page).toHaveURL(/\/club-history$/)
  await expect(drawer).toBeHidden()
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(drawer).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(/\/$/)
  await expect(drawer).toBeHidden()
})

test('an unknown page shows this, is logged, and links to the home page', async ({ page }) => {
  const logged: string[] = []
  page.on('console', (message) => message.type() === 'error' && logged.push(message.text()))
  const response = await page.goto('/no/such/page')
  expect(response?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: '404' })).toBeVisible()
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
  await expect.poll(() => logged.join()).toContain('/no/such/page')
  await page.getByRole('link', { name: 'Return to Home' }).click()
  await expect(page).toHaveURL(/\/$/)
})

test('a long description is shortened to 150 characters', async ({ page }) => {
  await page.goto('/events')
  await taken(page)
  const cruise = page.getByRole('listitem').filter({ hasText: 'Queen Anne Cruise' })
  const more = cruise.getByRole('button', { name: /^View more/ })
  expect((await cruise.locator('p').nth(1).innerText()).length).toBe(153)
  await more.click()
  await expect(cruise.getByRole('button', { name: /^View less/ })).toBeVisible()
  await expect(cruise).toContainText('RSVP by 1 September.')
  await expect(cruise.getByRole('link', { name: 'RSVP by e-mail' })).toHaveAttribute(
    'href',
    `mailto:club@example.org?subject=${encodeURIComponent('RSVP – 50th Anniversary Celebration (Queen Anne Cruise)')}`,
  )
})

test('an unknown page without JavaScript contains the name of the club', async ({ browser, site }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${site.url}/nowhere`)
  await expect(page.getByText('Gourock Service Club').first()).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await context.close()
})

test('the pages can be read if the API is unavailable', async ({ page }) => {
  await withoutConfig(page, '/events')
  await page.goto('/events')
  await expect(page.getByRole('heading', { name: 'Speaker Schedule 2025–26' })).toBeVisible()
  await taken(page)
  await page.getByRole('button', { name: /^View details/ }).first().click()
  await expect(page.getByRole('dialog', { name: 'Youth Awards' })).toBeVisible()
})

test('shows that the network is unavailable', async ({ page, context }) => {
  await page.goto('/contact')
  await taken(page)
  await context.setOffline(true)
  await expect(page.getByText('You are offline.')).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByText('You are offline.')).toBeHidden()
})
