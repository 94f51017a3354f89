/** At 200 % zoom, every form is complete: no element is cut off, is outside the screen, or makes the page scroll sideways. */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from '../support/site.ts'
import { forms } from '../support/forms.ts'

/** Returns the names of the elements that are not fully visible. */
function lost(form: Locator): Promise<string[]> {
  return form.evaluate((root) => {
    const found: string[] = []
    const named = (element: Element) => `${element.tagName.toLowerCase()} “${(element.textContent || element.id).trim().slice(0, 50)}”`
    for (const element of root.querySelectorAll<HTMLElement>('*')) {
      const style = getComputedStyle(element)
      const box = element.getBoundingClientRect()
      if (style.display === 'none' || box.width <= 1 || element.closest('.sr-only, [aria-hidden=true], svg')) continue
      if (box.left < -1 || box.right > window.innerWidth + 1) found.push(`${named(element)} lies outside the screen`)
      const cut = style.overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1
      if (cut && !['INPUT', 'TEXTAREA'].includes(element.tagName)) found.push(`${named(element)} is cut off`)
    }
    return found
  })
}

async function expectWhole(page: Page, form: Locator) {
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(wider, 'the page scrolls sideways').toBeLessThanOrEqual(0)
  expect(await lost(form)).toEqual([])
  for (const control of await form.locator('input:not([hidden]), textarea, button').all()) {
    await control.scrollIntoViewIfNeeded()
    await expect(control).toBeInViewport()
  }
}

// At a zoom of 200 %, the page has half as many CSS pixels, each twice as large. The second viewport is the screen of a phone, or a wide screen at
// 400 %.
for (const [zoom, viewport] of [
  ['a screen of 1280 at 200 %', { width: 640, height: 400 }],
  ['a screen of 1280 at 400 %', { width: 320, height: 256 }],
] as const) {
  test.describe(zoom, () => {
    test.use({ viewport, deviceScaleFactor: 2 })
    for (const { name, path, open, submit } of forms) {
      test(`${name} is completely visible, before and after it was refused`, async ({ page }) => {
        await page.goto(open === undefined ? path : `${path}?view=form`)
        const form = page.getByRole('form', { name, exact: true })
        await form.waitFor()
        await expectWhole(page, form)
        await form.getByRole('button', { name: submit, exact: true }).click()
        const summary = form.getByRole('group', { name: /needs? another look/ })
        await expect(summary).toBeFocused()
        await expect(summary).toBeInViewport()
        await expectWhole(page, form)
      })
    }
  })
}

test.describe('text enlarged to 200 %', () => {
  for (const { name, path, open } of forms) {
    test(`${name} is completely visible`, async ({ page }) => {
      await page.goto(open === undefined ? path : `${path}?view=form`)
      const form = page.getByRole('form', { name, exact: true })
      await form.waitFor()
      await page.addStyleTag({ content: 'html { font-size: 200% }' })
      await expectWhole(page, form)
    })
  }
})
