/** Whether everybody can use what a page shows now. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** What axe finds wrong: the rule, and the elements. `within` is a selector: what else there is, somebody looked at already. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  // What fades in or out has no contrast yet, or no longer.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() => document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Infinity))
  // No script runs in a frame with an empty sandbox, axe's neither: it would wait for ever. Such a frame holds a mail, which is not ours.
  await page.locator('iframe[sandbox=""]').evaluateAll((frames) => frames.forEach((frame) => frame.remove()))
  const axe = new AxeBuilder({ page })
  const { violations: found } = await (within === undefined ? axe : axe.include(within)).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Day on a desk and night on a phone: two of the four mixtures hold both schemes and both widths. axe takes most of the time of such tests. */
export const screens = [
  { name: 'by day on a desk', colorScheme: 'light', width: 1440 },
  { name: 'by night on a phone', colorScheme: 'dark', width: 360 },
] as const
