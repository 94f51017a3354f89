/**
 * Checks every dialog and panel in both colour schemes, on a phone and on a wide screen: axe finds no violation, and nothing is cut off at the side.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { expect, open, settled, test } from '../support/dashboard.ts'
import { windows } from '../support/dashboard-windows.ts'
import { lane } from '../support/lane.ts'

const sources = resolve(import.meta.dirname, '../../../web/dashboard/src')

/** Dialogs that other specs check, because these dialogs need an authenticator, a read-only folder, or a phone. */
const elsewhere = ['app/shell/Shell.tsx', 'components/RecordedMigration.tsx', 'features/operators/Password.tsx', 'features/operators/PasskeyDialogs.tsx']
/** Components from which dialogs are built. */
const parts = ['components/Confirm.tsx', 'components/BackupCopy.tsx']

test('the test covers every dialog and panel', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const drawing = files.filter((file) => /<(Dialog|Confirm|BackupCopy)\b/.test(readFileSync(join(sources, file), 'utf8')))
  expect([...new Set([...windows.map(({ file }) => file), ...elsewhere, ...parts])].sort()).toEqual(drawing.sort())
})

for (const width of [380, 1280])
  test(`every dialog at ${width}, in both colour schemes`, lane(width === 1280), async ({ owner, dashboard }, info) => {
    test.setTimeout(900_000)
    owner.setDefaultTimeout(60_000)
    // Animations are disabled, so that panels are measured at their final position.
    await owner.emulateMedia({ reducedMotion: 'reduce' })
    await owner.setViewportSize({ width, height: width < 600 ? 800 : 1000 })
    const complaints: string[] = []
    owner.on('console', (message) => {
      // The browser blocks axe's scripts in the sandboxed frame of a mail. The message about this is not an error of the page.
      if (message.type() === 'error' && !/^Blocked script execution in '[^']+\/api\/mail\//.test(message.text())) complaints.push(message.text())
    })
    owner.on('pageerror', (error) => complaints.push(error.message))
    for (const { file, name, path, open: reach } of windows)
      await test.step(`${name} (${file})`, async () => {
        await open(owner, dashboard, path)
        await settled(owner)
        await reach(owner)
        await settled(owner)
        await expect(owner.getByRole('dialog').last()).toBeVisible()
        await expect.configure({ soft: true }).poll(() => cutOff(owner), { message: `${name}: cut off` }).toEqual([])
        for (const colorScheme of ['light', 'dark'] as const) {
          await owner.emulateMedia({ colorScheme })
          await owner.screenshot({ path: info.outputPath(`${name.replace(/\W+/g, '-')}-${width}-${colorScheme}.png`) })
          // A dialog has the same content at all widths, so axe runs at one of them.
          if (width < 600) expect.soft(await violations(owner, 'dialog[open]'), `${name}: axe, ${colorScheme}`).toEqual([])
        }
      })
    expect(complaints).toEqual([])
  })

/** Returns the elements of the top dialog that extend beyond its edges, or that need horizontal scrolling. */
const cutOff = (page: Page) =>
  page.evaluate(() => {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
    if (!dialog) return ['there is no window']
    const { left, right } = dialog.getBoundingClientRect()
    const body = dialog.querySelector('[data-body]')
    return [
      ...(left < 0 || right > innerWidth ? [`it is from ${left} to ${right} of ${innerWidth}`] : []),
      ...(body && body.scrollWidth > body.clientWidth ? [`its content is ${body.scrollWidth} of ${body.clientWidth} wide`] : []),
    ]
  })
