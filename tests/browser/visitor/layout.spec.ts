/** Positions of elements: the text above a form is in the sky of the picture, and the layout does not shift while the user corrects a form. */
import type { Page } from '@playwright/test'
import { expect, test } from '../support/site.ts'
import { forms, type Form } from '../support/forms.ts'
import { lane } from '../support/lane.ts'

const awards = forms.filter(({ open }) => open !== undefined)

for (const width of [360, 768, 1024, 1440, 1920]) {
  test(`the text above an award's form is inside the sky, ${width} pixels wide`, lane(width === 360), async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    for (const { path } of awards) {
      await page.goto(`${path}?view=form`)
      const strip = page.locator('.award-strip')
      await expect(strip.getByRole('heading', { level: 1 })).toBeVisible()
      const [words, hills, sky, across] = await strip.evaluate((element) => {
        const box = (selector: string) => element.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
        const last = element.querySelector('h1 + p')?.getBoundingClientRect() ?? new DOMRect()
        return [last.bottom, box('.p-far').top, box('.p-sky').left, box('.p-sky').right]
      })
      expect(words, `${path}: the last line and the hills`).toBeLessThanOrEqual(hills)
      expect(sky, `${path}: the scene reaches the left edge`).toBeLessThanOrEqual(0)
      expect(across, `${path}: the scene reaches the right edge`).toBeGreaterThanOrEqual(width - 1)
    }
  })
}

/**
 * Answers every question of a form by script. Chromium does not count layout shifts within half a second of a key press or click, so the test does
 * not use real input.
 */
async function correct(page: Page, { steps }: Form) {
  for (const step of steps) {
    if ('field' in step) {
      const field = page.getByLabel(step.field, { exact: true })
      await field.fill(step.type)
      await page.waitForTimeout(550)
      await field.blur()
    } else if ('group' in step) {
      const choice = page.getByRole('group', { name: step.group }).getByRole('radio', { name: step.choose, exact: true })
      await choice.evaluate((radio: HTMLInputElement) => {
        radio.scrollIntoView({ block: 'center' })
        radio.click()
      })
    }
  }
}

for (const width of [360, 1280]) {
  test(`nothing moves while a refused form is corrected, ${width} pixels wide`, lane(width === 360), async ({ page }) => {
    test.slow()
    await page.setViewportSize({ width, height: 800 })
    for (const form of forms) {
      await page.goto(form.open === undefined ? form.path : `${form.path}?view=form`)
      await page.getByRole('button', { name: form.submit, exact: true }).click()
      await expect(page.getByRole('group', { name: /another look/ })).toBeFocused()
      await page.evaluate(() => document.fonts.ready)
      await page.waitForTimeout(600)
      await page.evaluate(() => {
        Object.assign(window, { shifts: [] })
        type Shift = PerformanceEntry & { hadRecentInput: boolean; sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[] }
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as Shift[]) {
            if (entry.hadRecentInput) continue
            const moved = entry.sources.map(({ node, previousRect: from, currentRect: to }) => {
              return `${node?.nodeName} "${node?.textContent?.slice(0, 40)}" from ${from.x},${from.y} to ${to.x},${to.y}`
            })
            ;(window as unknown as { shifts: string[][] }).shifts.push(moved)
          }
        }).observe({ type: 'layout-shift' })
      })
      await correct(page, form)
      await page.waitForTimeout(600)
      const shifts = await page.evaluate(() => (window as unknown as { shifts: string[][] }).shifts)
      expect(shifts, `${form.name}: layout shifts`).toEqual([])
    }
  })
}
