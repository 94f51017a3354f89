/** Accessibility checks of what a page shows now. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Violations that axe finds: the rule and the elements. `within`: selector of the part to check. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  // Elements that fade in or out have a wrong contrast meanwhile, so animations are disabled.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() => document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Infinity))
  // No script runs in a frame with an empty sandbox, so axe would wait for it for ever. Such a frame shows a mail, whose content is not ours.
  await page.locator('iframe[sandbox=""]').evaluateAll((frames) => frames.forEach((frame) => frame.remove()))
  const axe = new AxeBuilder({ page })
  const { violations: found } = await (within === undefined ? axe : axe.include(within)).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/**
 * Light scheme on a wide screen and dark scheme on a phone: two of the four combinations cover both schemes and both widths. axe takes most of the
 * time of such tests.
 */
export const screens = [
  { name: 'by day on a desk', colorScheme: 'light', width: 1440 },
  { name: 'by night on a phone', colorScheme: 'dark', width: 360 },
] as const
