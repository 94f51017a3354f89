/** A year with thousands of entries: the mail that lists them, and the judges' page. */
import { add, expect, judgesPage, must, test, toast, type Club } from '../support/club.ts'
import { artist } from '../support/entries.ts'
import { messageTo } from '../../support/inbox.mjs'

const many = 2000

async function fill(club: Club) {
  const long = 'Where we sit after swimming, and what we see from there. '.repeat(8)
  for (let from = 0; from < many; from += 500) {
    await add(
      club,
      'young_artist_entries',
      Array.from({ length: 500 }, (_, index) => ({
        ...artist,
        entrant_name: `Entrant ${from + index}`,
        artwork_title: `Work ${from + index}`,
        artwork_description: long,
        category: 'Intermediate',
      })),
    )
  }
}

test('Email All sends thousands of entries, and judges scroll through thousands of entries', async ({ browser, office, club }) => {
  test.slow()
  await fill(club)
  await office.goto('/admin')
  await office.getByRole('button', { name: `Email All (${many})` }).click()
  await expect(toast(office, 'All submissions were sent to awards@example.org')).toBeVisible({ timeout: 60_000 })
  const mail = await messageTo(club.url, 'awards@example.org', /^Youth Awards: all 2000 submissions$/)
  expect(mail.html).toContain('All submissions (2000)')
  const listed = (mail.html.match(/<strong>Entrant \d+<\/strong>/g) ?? []).length
  expect(listed).toBeGreaterThan(1000)
  // The spreadsheet contains the entries that do not fit into one mail.
  const [, more] = /<strong>(\d+) more are in the spreadsheet/.exec(mail.html) ?? []
  expect(Number(more)).toBe(many - listed)
  const link = /href="([^"]*exports[^"]*)"/.exec(mail.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const sheet = await (await fetch(link)).text()
  expect(sheet.match(/Entrant \d+/g)).toHaveLength(many)

  const page = await judgesPage(browser, club)
  const cards = page.getByRole('group', { name: /^Place for / })
  await expect(page.getByText(`of ${many} entries placed`)).toBeVisible()
  await expect(cards.first()).toBeVisible()
  const first = await cards.count()
  expect(first).toBeLessThan(200)
  await cards.nth(first - 1).scrollIntoViewIfNeeded()
  await expect.poll(() => cards.count()).toBeGreaterThan(first)
  // Users who cannot scroll with a pointer load more entries with a button.
  const before = await cards.count()
  await page.getByRole('button', { name: 'Show more' }).first().click()
  await expect.poll(() => cards.count()).toBeGreaterThan(before)
  await must(club.database.from('young_artist_entries').delete().not('id', 'is', null))
})
