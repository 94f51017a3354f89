/** Accessibility of the pages whose state depends on the season or on a personal link: closed forms, late links, and an entry that was sent. */
import type { Page } from '@playwright/test'
import { fillArtistForm, sendArtistEntry } from '../support/artist-form.ts'
import { screens, violations } from '../support/axe.ts'
import { lane } from '../support/lane.ts'
import { close, comingSeason, makeLateLink, open } from '../support/seasons.ts'
import { answer, choose, expect, expectToast, file, taken, test } from '../support/site.ts'

const form = '/young-artist?view=form'

/** Expects a page in this state to fit the screen and to have no violations. */
async function audit(page: Page, state: string) {
  expect.soft(await violations(page), state).toEqual([])
  expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `${state}: wider than the screen`).toBeLessThanOrEqual(0)
}

/** Opens an address with a token in its fragment. A change of the fragment alone would not load the page again. */
async function follow(page: Page, address: string) {
  await page.goto('/')
  await page.goto(address)
}

test.afterEach(({ site }) => open(site))

for (const { name, colorScheme, width } of screens) {
  test.describe(name, lane(colorScheme === 'dark'), () => {
    test.use({ colorScheme, viewport: { width, height: 900 } })

    test('the pages while entries are closed, and the notes about late links', async ({ page, site }) => {
      test.slow()
      page.on('dialog', (asked) => void asked.accept())
      await close(site)
      for (const path of ['/youth-awards', '/young-citizen', '/young-citizen?view=form', form, '/awards-uploads', '/upload-music']) {
        await page.goto(path)
        await taken(page)
        await expect(page.locator('main')).toContainText(path === '/youth-awards' ? /Nominations open/ : /Entries closed at the end of/)
        await audit(page, `${path}, closed`)
      }
      const other = await makeLateLink(site, 'music')
      await follow(page, `${form}#late=${other}`)
      await expect(page.getByText('This late link is for another form.')).toBeVisible()
      await audit(page, 'a late link for another form')
      await follow(page, `${form}#late=${'0'.repeat(64)}`)
      await expect(page.getByText('This late link has been used, was withdrawn, or has ended.')).toBeVisible()
      await audit(page, 'a late link that has ended')
      const token = await makeLateLink(site, 'artist')
      await page.route('**/rest/v1/rpc/*late*', (route) => route.fulfill({ status: 500, json: { message: 'away' } }))
      await follow(page, `${form}#late=${token}`)
      await expect(page.getByText('The late link could not be checked.')).toBeVisible()
      await audit(page, 'a late link that could not be checked')
      await page.unroute('**/rest/v1/rpc/*late*')
      await follow(page, `${form}#late=${token}`)
      await expect(page.getByText('Entries are closed, and this late link lets you send one.')).toBeVisible()
      await audit(page, 'a form that a late link opened')
      await fillArtistForm(page, 'Rory Late')
      await page.getByRole('button', { name: 'Submit Entry' }).click()
      await expectToast(page, 'Entry submitted', 'Your entry has been submitted successfully!')
      await audit(page, 'a late entry that was sent')
    })

    test('the pages before entries open', async ({ page, site }) => {
      await close(site, comingSeason)
      for (const path of ['/young-musician', '/young-musician?view=form', '/upload-music']) {
        await page.goto(path)
        await taken(page)
        await expect(page.locator('main')).toContainText(/Entries open on/)
        await audit(page, `${path}, before the first day`)
      }
    })

    test('an entry that its sender opens again: found, refused, changed meanwhile, saved, failed, ended', async ({ page, site }) => {
      test.slow()
      const address = await sendArtistEntry(page, 'Isla Comes Back')
      await audit(page, 'the link after sending')
      await follow(page, address)
      await expect(page.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Comes Back')
      await choose(page, [file('second.png', 'image/png', 3000)])
      await expectToast(page, 'Upload successful', '1 file(s)')
      await audit(page, 'found, with another file')
      await answer(page, { Age: '90' })
      await page.getByRole('button', { name: 'Save the correction' }).click()
      await expect(page.getByRole('group', { name: /another look/ })).toBeVisible()
      await audit(page, 'a refused correction')
      await answer(page, { Age: '10' })
      await page.getByRole('button', { name: 'Save the correction' }).click()
      await expectToast(page, 'Correction saved', 'The club has what you have changed.')
      await audit(page, 'saved')
      await page.getByRole('button', { name: 'Show the entry' }).click()
      await expect(page.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Comes Back')
      await site.database.from('young_artist_entries').update({ school: 'The club knows better' }).eq('entrant_name', 'Isla Comes Back')
      await answer(page, { Age: '11' })
      await page.getByRole('button', { name: 'Save the correction' }).click()
      await expectToast(page, 'Changed meanwhile', 'The club has changed this entry since you opened it.')
      await audit(page, 'changed meanwhile')
      await page.route('**/rest/v1/rpc/*entry*', (route) => route.fulfill({ status: 500, json: { message: 'away' } }))
      await follow(page, address)
      await expect(page.getByRole('heading', { name: 'The entry could not be opened' })).toBeVisible()
      await audit(page, 'failed')
      await page.unroute('**/rest/v1/rpc/*entry*')
      await follow(page, `${address.slice(0, -64)}${'0'.repeat(64)}`)
      await expect(page.getByRole('heading', { name: 'This link opens nothing' })).toBeVisible()
      await audit(page, 'ended')
    })
  })
}
