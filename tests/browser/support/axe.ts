/** Accessibility checks of the present state of a page. */
import { createRequire } from 'node:module'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'

declare global {
  interface Window {
    axe: typeof import('axe-core')
  }
}

/** The script of axe, in the version that AxeBuilder uses. */
const { source } = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright'))('axe-core') as { source: string }

/** All rules run, but axe returns details only of elements that violate a rule. */
const options: RunOptions = { resultTypes: ['violations'] }

/** Returns the violations that axe finds: for each one, the rule and the elements. `within`: selector of the part to check. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  // While an element fades in or out, its contrast is wrong. Therefore animations are disabled.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() => document.getAnimations().every((one) => one.effect?.getComputedTiming().endTime === Infinity))
  // No script runs in a frame with an empty sandbox, so axe would wait for such a frame for ever. The frame shows a mail, whose content does not
  // belong to the app.
  await page.locator('iframe[sandbox=""]').evaluateAll((frames) => frames.forEach((frame) => frame.remove()))
  const found = page.frames().length === 1 ? await inPage(page, within) : await inFrames(page, within)
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/**
 * Checks a page without frames in a third of AxeBuilder's CPU time. AxeBuilder opens a second page, in which it evaluates the results of all frames.
 */
async function inPage(page: Page, within?: string): Promise<AxeResults['violations']> {
  // An earlier check of the same document may have added the script.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const context = { include: within === undefined ? [] : [within], exclude: [] }
  return page.evaluate(async ({ context, options }) => (await window.axe.run(context, options)).violations, { context, options })
}

async function inFrames(page: Page, within?: string): Promise<AxeResults['violations']> {
  const axe = new AxeBuilder({ page }).options(options)
  return (await (within === undefined ? axe : axe.include(within)).analyze()).violations
}

/**
 * Light scheme on a wide screen and dark scheme on a phone: two of the four combinations cover both schemes and both widths. axe takes most of the
 * time of such tests.
 */
export const screens = [
  { name: 'by day on a desk', colorScheme: 'light', width: 1440 },
  { name: 'by night on a phone', colorScheme: 'dark', width: 360 },
] as const
