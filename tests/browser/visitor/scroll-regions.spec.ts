/** The keyboard can scroll everything that scrolls. */
import { violations } from '../support/axe.ts'
import { expect, taken, test } from '../support/site.ts'

test('a dialog that contains only text and is longer than the screen takes the focus and is scrolled by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 420 })
  await page.goto('/events')
  await taken(page)
  await page.getByRole('button', { name: /View details ?: 50th Anniversary/ }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  expect(await violations(page)).toEqual([])
  const body = dialog.locator('[tabindex="0"]')
  await expect(body).toHaveCount(1)
  await body.focus()
  await page.keyboard.press('End')
  await expect.poll(() => body.evaluate(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight - clientHeight - scrollTop)).toBeLessThan(2)
})
