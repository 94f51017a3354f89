/** Pages with text of twice the size, which users set in the browser. */
import { allPaths } from '../support/pages.ts'
import { expect, test } from '../support/site.ts'

for (const width of [360, 768, 1280, 1440]) {
  test(`the header has space for text of twice the size, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/about')
    await page.addStyleTag({ content: 'html { font-size: 200% !important }' })
    const found = await page.evaluate(() => {
      const parts = [...document.querySelectorAll('.site-header a, .site-header button')].filter((part) => part.getClientRects().length > 0)
      const boxes = parts.map((part) => ({ words: part.textContent, isToggle: part.matches('nav button'), box: part.getBoundingClientRect() }))
      const overlap = boxes.flatMap(({ words, box }, index) =>
        boxes
          .slice(index + 1)
          // The arrow that opens a menu may be close to its link, so this pair is not compared.
          .filter((other) => !other.isToggle && box.left < other.box.right - 1 && other.box.left < box.right - 1 && box.top < other.box.bottom - 1 && other.box.top < box.bottom - 1)
          .map((other) => `${words} / ${other.words}`),
      )
      const outside = boxes.filter(({ box }) => box.right > document.documentElement.clientWidth + 1 || box.left < -1).map(({ words }) => words)
      const row = document.querySelector('.site-header-row') ?? document.body
      return { overlap, outside, wider: row.scrollWidth - row.clientWidth }
    })
    expect(found).toEqual({ overlap: [], outside: [], wider: 0 })
  })
}

for (const width of [360, 1280]) {
  test(`no page scrolls horizontally with text of twice the size, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    for (const path of [...allPaths, '/nowhere']) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.addStyleTag({ content: 'html { font-size: 200% !important }' })
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      expect.soft(wider, path).toBe(0)
    }
  })
}
