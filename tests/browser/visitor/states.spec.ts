/** The visitors' pages in combinations of states: an error at a question, a restored draft, no network, a newly deployed site, print. */
import type { Page } from '@playwright/test'
import { screens, violations } from '../support/axe.ts'
import { answer, choice, choose, expect, file, taken, test } from '../support/site.ts'
import { lane } from '../support/lane.ts'

const citizen = '/young-citizen?view=form'
const answers = {
  'Nominee’s full name': 'Ailsa Sample',
  Age: '17',
  'Parent or guardian’s e-mail': 'parent@example.org',
  'Your name': 'Morag Sample',
  'Your e-mail': 'morag@example.org',
  'Key achievement': 'Ran the beach clean.',
  'Why the nominee deserves the award': 'Nobody asked her to.',
}
const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).filter({ visible: true }).first().click()
const refused = (page: Page) => expect(page.getByRole('group', { name: /another look/ })).toBeVisible()

/** Each state: its name, and the actions that cause it. A state may begin with the result of the previous one. */
const states: [name: string, arrange: (page: Page) => Promise<unknown>][] = [
  ['a refused form with its message', async (page) => {
    await page.goto(citizen)
    await answer(page, { ...answers, Age: '30' })
    await click(page, 'Submit Nomination')
    await refused(page)
    await expect(page.locator('[data-sonner-toast]').filter({ hasText: 'Invalid Age' })).toBeVisible()
  }],
  ['the question whether to leave, over a refused form', async (page) => {
    await click(page, 'Back to Young Citizen Awards')
    await expect(page.getByRole('dialog', { name: 'Leave this form?' })).toBeVisible()
  }],
  ['a draft that came back', async (page) => {
    await click(page, 'Leave')
    await page.goto(citizen)
    await expect(page.getByLabel('Your name')).toHaveValue('Morag Sample')
    await expect(page.getByText('Draft kept on this device').first()).toBeAttached()
  }],
  ['a draft without a network, refused', async (page) => {
    await answer(page, { Age: '30' })
    await page.context().setOffline(true)
    await expect(page.getByText('You are offline.')).toBeVisible()
    await click(page, 'Submit Nomination')
    await refused(page)
  }],
  ['files that are refused, that failed, and that have arrived', async (page) => {
    await page.context().setOffline(false)
    await page.goto(citizen)
    await choose(page, [file('page.svg', 'image/svg+xml', 100), file('big.pdf', 'application/pdf', 10 * 1024 * 1024 + 1), file('good.txt', 'text/plain', 100)])
    await expect(page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem').filter({ hasText: 'Uploaded' })).toHaveCount(1)
    await page.route('**/storage/v1/object/**', (route) => route.fulfill({ status: 500, json: { statusCode: '500', error: 'x', message: 'x' } }))
    await choose(page, [file('photo.png', 'image/png', 100)])
    await expect(page.getByRole('button', { name: 'Try photo.png again' })).toBeVisible()
    await page.unroute('**/storage/v1/object/**')
  }],
  ['a record that cannot be saved', async (page) => {
    await page.route('**/rest/v1/**', (route) => route.fulfill({ status: 500, json: { message: 'no' } }))
    await page.goto(citizen)
    await expect(page.getByLabel('Your name'), 'the name of the draft').toHaveValue('Morag Sample')
    await answer(page, answers)
    await click(page, 'Submit Nomination')
    await expect(page.locator('[data-sonner-toast]').filter({ hasText: 'Failed to save nomination' })).toBeVisible()
    await page.unroute('**/rest/v1/**')
  }],
  ['a nomination that was sent', async (page) => {
    await click(page, 'Submit Nomination')
    await expect(page.locator('[data-sonner-toast]').filter({ hasText: 'Nomination Submitted!' })).toBeVisible()
  }],
  ['a part of a page that cannot be fetched', async (page) => {
    await page.goto('/young-artist')
    await taken(page)
    await page.route(/\/assets\/ArtistForm[^/]*\.js/, (route) => route.abort())
    await click(page, 'Submit Nomination')
    await expect(page.getByRole('alert')).toContainText('This part of the page could not be fetched.')
    await page.unroute(/\/assets\/ArtistForm[^/]*\.js/)
  }],
  ['a form of choices, half filled in', async (page) => {
    await page.goto('/young-photographer?view=form')
    await choice(page, 'Preferred pronouns', 'they/them')
    await choice(page, 'Category', 'Intermediate, 11 to 13')
    await click(page, 'Submit Entry')
    await refused(page)
  }],
  ['a renewed site, over a form with a draft', async (page) => {
    await page.goto(citizen)
    // Only the loaded app detects a new build.
    await taken(page)
    await answer(page, { 'Your name': 'Morag Sample' })
    await page.route('**/200.html', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace(/\/assets\/index-[\w-]+\.js/, '/assets/index-NEXT.js') })
    })
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expect(page.getByText('This site has been renewed.')).toBeVisible()
    await page.unroute('**/200.html')
  }],
  ['the menu, and then no network', async (page) => {
    await page.goto('/youth-awards')
    await taken(page)
    await click(page, /^(Youth Awards menu|Menu)$/)
    await page.context().setOffline(true)
    await expect(page.getByText('You are offline.')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Young Musician', exact: true }).filter({ visible: true }).first()).toBeVisible()
  }],
  ['an unknown page with the menu', async (page) => {
    await page.context().setOffline(false)
    await page.goto('/nowhere')
    await taken(page)
    await click(page, /^(Youth Awards menu|Menu)$/)
    await expect(page.getByRole('link', { name: 'Young Musician', exact: true }).filter({ visible: true }).first()).toBeVisible()
  }],
  ['an event’s details', async (page) => {
    await page.goto('/events')
    await taken(page)
    await click(page, /^View more/)
    await click(page, /^View details/)
    await expect(page.getByRole('dialog', { name: 'Youth Awards' })).toBeVisible()
  }],
  ...['/youth-awards', '/privacy', '/young-musician', citizen].map((path): [string, (page: Page) => Promise<unknown>] => [
    `${path} on paper`,
    async (page) => {
      await page.emulateMedia({ media: 'print' })
      await page.goto(path)
      await taken(page)
    },
  ]),
]

for (const { name, colorScheme, width } of screens) {
  test(`combined states of the visitor’s pages, ${name}`, lane(colorScheme === 'dark'), async ({ page }) => {
    // The test checks seventeen states for every rule of axe.
    test.slow()
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    page.on('dialog', (asked) => void asked.accept())
    for (const [state, arrange] of states) {
      await test.step(state, async () => {
        await arrange(page)
        expect.soft(await violations(page), state).toEqual([])
      })
    }
  })
}
