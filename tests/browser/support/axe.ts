/** Whether everybody can use what a page shows now. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** What axe finds wrong: the rule, and the elements. */
export async function violations(page: Page): Promise<string[]> {
  // What fades in or out has no contrast yet, or no longer.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() => document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Infinity))
  const { violations: found } = await new AxeBuilder({ page }).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Day on a desk and night on a phone: two of the four mixtures hold both schemes and both widths. */
export const screens = [
  { name: 'by day on a desk', colorScheme: 'light', width: 1440 },
  { name: 'by night on a phone', colorScheme: 'dark', width: 360 },
] as const
