/**
 * Checks every page in both colour schemes, on a phone and on wide screens: axe finds no violation, nothing is cut off at the side, and the page does
 * not violate the content security policy.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { violations } from '../support/axe.ts'
import { expect, open, pages, settled, signedInViewer, test } from '../support/dashboard.ts'
import { lane } from '../support/lane.ts'

test('the test covers every route', () => {
  const router = readFileSync(resolve(import.meta.dirname, '../../../web/dashboard/src/app/routes.tsx'), 'utf8')
  const routes = [...router.matchAll(/path: '([^']+)', lazy/g)].flatMap(([, route]) => alternatives(route ?? ''))
  expect(routes.length).toBeGreaterThan(15)
  const paths = pages.map(([path]) => path.split('?')[0] ?? '')
  const forgotten = routes.filter((route) => !paths.some((path) => new RegExp(`^/${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(path)))
  expect(forgotten).toEqual([])
})

/** Returns all forms of a route, with and without its optional parts. */
function alternatives(route: string): string[] {
  const parts = route.split('/')
  const lengths = parts.map((_, index) => index + 1).filter((length) => parts[length] === undefined || parts[length].endsWith('?'))
  return lengths.map((length) => parts.slice(0, length).join('/').replaceAll('?', ''))
}

const screens = [
  { width: 380, colorScheme: 'light', isAudited: false },
  { width: 380, colorScheme: 'dark', isAudited: true },
  { width: 1280, colorScheme: 'light', isAudited: true },
  { width: 1280, colorScheme: 'dark', isAudited: false },
  { width: 1920, colorScheme: 'light', isAudited: false },
] as const

for (const { width, colorScheme, isAudited } of screens)
  test(`every page at ${width}, ${colorScheme}`, lane(width === 1280 && isAudited), async ({ owner, dashboard }, info) => {
    test.slow()
    await owner.setViewportSize({ width, height: width < 600 ? 800 : 1000 })
    await owner.emulateMedia({ colorScheme })
    const complaints: string[] = []
    owner.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    owner.on('pageerror', (error) => complaints.push(error.message))
    for (const [path, heading] of pages) {
      await open(owner, dashboard, path, heading)
      await settled(owner)
      const name = `${path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'home'}-${width}-${colorScheme}.png`
      await owner.screenshot({ path: info.outputPath(name) })
      expect.soft(await owner.getByRole('alert').allTextContents(), `${path}: says what failed`).toEqual([])
      // Two of the combinations cover both colour schemes and both widths.
      if (isAudited) expect.soft(await violations(owner), `${path}: axe`).toEqual([])
      const overhang = await owner.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      expect.soft(overhang, `${path}: wider than the window`).toBeLessThanOrEqual(0)
    }
    expect(complaints).toEqual([])
  })

test('a viewer can open every page without an error', async ({ owner, browser, dashboard }) => {
  test.slow()
  const viewer = await signedInViewer(owner, browser, dashboard)
  for (const [path, heading] of pages) {
    await open(viewer, dashboard, path, heading)
    await settled(viewer)
    expect.soft(await viewer.getByRole('alert').allTextContents(), path).toEqual([])
  }
  await viewer.context().close()
})

test('the first view fits in 250 KB of compressed script', async ({ owner, dashboard }) => {
  test.skip(process.env.CLOCH_TEST_DASHBOARD !== undefined, 'a folder is not compressed')
  let bytes = 0
  owner.on('response', async (response) => {
    if (response.request().resourceType() !== 'script') return
    const { responseBodySize } = await response.request().sizes()
    bytes += responseBodySize
  })
  await open(owner, dashboard, '/')
  await owner.waitForLoadState('networkidle')
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(250_000)
})
