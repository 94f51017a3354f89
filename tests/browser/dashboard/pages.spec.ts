/** Every page by day and by night, on a phone and on desks: axe, nothing cut off sideways, nothing refused by the content security policy. */
import { violations } from '../support/axe.ts'
import { expect, open, pages, settled, test } from '../support/dashboard.ts'

const screens = [
  { width: 380, colorScheme: 'light' },
  { width: 380, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 1920, colorScheme: 'light' },
  { width: 1920, colorScheme: 'dark' },
] as const

for (const { width, colorScheme } of screens)
  test(`every page at ${width}, ${colorScheme}`, async ({ owner, dashboard }, info) => {
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
      expect.soft(await violations(owner), `${path}: axe`).toEqual([])
      const overhang = await owner.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      expect.soft(overhang, `${path}: wider than the window`).toBeLessThanOrEqual(0)
    }
    expect(complaints).toEqual([])
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
