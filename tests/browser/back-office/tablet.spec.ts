/** The back-office on a tablet and a phone: no word is broken, rows of buttons have one line, columns are aligned, and the current tab is in view. */
import type { Page } from '@playwright/test'
import { add, expect, judgesPage, must, test, type Club } from '../support/club.ts'
import { artist } from '../support/entries.ts'

/** Returns the words of these elements that are broken onto two lines. */
const brokenWords = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((elements) =>
    elements.flatMap((element) => {
      const broken: string[] = []
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const text = walker.currentNode.textContent ?? ''
        for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
          const range = document.createRange()
          range.setStart(walker.currentNode, index)
          range.setEnd(walker.currentNode, index + word.length)
          if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
        }
      }
      return broken
    }),
  )

async function fill(club: Club) {
  await add(club, 'seasons', [
    { name: 'The last one', event_on: '2025-06-12' },
    { name: '2099', deadline_on: '2099-10-31', event_on: '2099-11-12' },
  ])
  const [judge] = await add(club, 'judges', { name: 'Ishbel Cairns', email: 'ishbel.cairns1@school.example.org', phone: '01475 630001' })
  await must(club.database.from('judge_categories').insert({ judge_id: judge?.id, category: 'photography' }))
  await add(club, 'event_checklist_items', { item_name: 'Medals', category: 'Hall' })
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya.menon@example.org' })
  await add(club, 'young_artist_entries', artist)
}

for (const width of [768, 1024, 1440])
  test(`tables at ${width} px: words are whole, and icons are below the names of their columns`, async ({ office, club }) => {
    await fill(club)
    await office.setViewportSize({ width, height: 1000 })
    for (const tab of ['summary', 'judges', 'checklist', 'guests', 'people']) {
      await office.goto(`/admin?tab=${tab}`)
      await expect(office.locator('main table').first()).toBeVisible()
      await office.evaluate(() => document.fonts.ready)
      expect(await brokenWords(office, 'main th, main td'), tab).toEqual([])
      const offsets = await office.locator('main table').evaluateAll((tables) =>
        tables.flatMap((table) => {
          const head = [...table.querySelectorAll('th')].find((cell) => cell.textContent === 'Actions')
          const icons = [...table.querySelectorAll('tbody td:last-child > div > :first-child > svg')]
          if (!head) return []
          const range = document.createRange()
          range.selectNodeContents(head)
          return icons.map((icon) => Math.round(icon.getBoundingClientRect().left - range.getBoundingClientRect().left))
        }),
      )
      for (const offset of offsets) expect(Math.abs(offset), `${tab}: an icon and the name of its column`).toBeLessThanOrEqual(2)
    }
    await office.goto('/admin?tab=summary')
    const edit = await office.getByRole('button', { name: 'Edit The last one' }).boundingBox()
    const remove = await office.getByRole('button', { name: 'Delete the data of The last one' }).boundingBox()
    expect(edit?.y, 'the buttons of a season are beside each other').toBe(remove?.y)
    await office.goto('/admin?tab=website')
    const parts = office.getByRole('tablist', { name: 'Website', exact: true })
    expect(await parts.evaluate((list) => list.scrollWidth - list.clientWidth), 'all parts of the website are visible').toBeLessThanOrEqual(0)
  })

test('on a phone, the name in the header is whole, and the current part of the website is in view', async ({ office, club }) => {
  await fill(club)
  await office.setViewportSize({ width: 360, height: 800 })
  for (const part of ['results', 'corporate', 'season']) {
    await office.goto(`/admin?tab=website&part=${part}`)
    const current = office.getByRole('tablist', { name: 'Website', exact: true }).getByRole('tab', { selected: true })
    await expect(current).toBeInViewport({ ratio: 0.99 })
    expect(await office.evaluate(() => scrollY), 'the page has not moved').toBe(0)
  }
  await office.getByRole('tablist', { name: 'Website', exact: true }).getByRole('tab', { name: 'Events' }).click()
  await expect(office.getByRole('tab', { name: 'Events', selected: true })).toBeInViewport({ ratio: 0.99 })
  await expect(office.getByLabel('Season', { exact: true }).first()).toBeVisible()
  expect(await brokenWords(office, 'header')).toEqual([])
})

test('in the dark, no checkbox or radio button has the colours of the browser', async ({ office, browser, club }) => {
  await fill(club)
  await add(club, 'schools', [{ name: 'Ashton Academy' }, { name: 'Ashton' }])
  const judging = await judgesPage(browser, club)
  const own = async (page: Page, what: string) => {
    await page.emulateMedia({ colorScheme: 'dark' })
    const boxes = page.locator('input[type=checkbox], input[type=radio]')
    await expect(boxes, what).not.toHaveCount(0)
    expect(await boxes.evaluateAll((all) => all.map((box) => getComputedStyle(box).appearance)).then((all) => [...new Set(all)]), what).toEqual(['none'])
  }
  await own(judging, 'judging')
  await judging.goto('/young-musician?view=form')
  await own(judging, 'a form')
  await office.goto('/admin?tab=guests')
  await own(office, 'guests')
  await office.goto('/admin?tab=contacts&part=schools')
  await office.getByRole('button', { name: 'Merge Schools' }).click()
  for (const box of await office.getByRole('dialog').getByRole('checkbox').all()) await box.check()
  await expect(office.getByRole('dialog').getByRole('radio')).not.toHaveCount(0)
  await own(office, 'merging')
  await judging.context().close()
})
