/** Where things stand: the words above a form in the sky of its picture, and nothing that moves while a form is corrected. */
import type { Page } from '@playwright/test'
import { expect, test } from '../support/site.ts'
import { forms, type Form } from '../support/forms.ts'

const awards = forms.filter(({ open }) => open !== undefined)

for (const width of [360, 768, 1024, 1440, 1920]) {
  test(`the words above an award's form stand in the sky, ${width} pixels wide`, async ({ page }) => {
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

/** Answers every question of a form, leaving each field as a hand on a keyboard would. */
async function correct(page: Page, { steps }: Form) {
  for (const step of steps) {
    // Chromium does not count what moves within half a second of a press: a form must hold still without that pardon.
    if ('field' in step) {
      await page.getByLabel(step.field, { exact: true }).fill(step.type)
      await page.getByLabel(step.field, { exact: true }).blur()
    } else if ('group' in step) {
      await page.getByRole('group', { name: step.group }).getByRole('radio', { name: step.choose, exact: true }).check()
    }
  }
}

for (const width of [360, 1280]) {
  test(`nothing shifts while a refused form is corrected, ${width} pixels wide`, async ({ page }) => {
    test.slow()
    await page.setViewportSize({ width, height: 800 })
    for (const form of awards) {
      await page.goto(`${form.path}?view=form`)
      await page.getByRole('button', { name: form.submit, exact: true }).click()
      await expect(page.getByRole('group', { name: /another look/ })).toBeFocused()
      await page.waitForTimeout(600)
      await page.evaluate(() => {
        Object.assign(window, { shifts: [] })
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
            if (!entry.hadRecentInput) (window as unknown as { shifts: number[] }).shifts.push(entry.value)
          }
        }).observe({ type: 'layout-shift' })
      })
      await correct(page, form)
      await page.waitForTimeout(600)
      const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)
      expect(shifts, `${form.name}: layout shifts`).toEqual([])
    }
  })
}
