/** The accessibility check of these suites finds the same violations as AxeBuilder. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { violations } from './axe.ts'

const faults = '<img src="/x.png"><button></button><p style="color: #ccc; background: #fff">faint</p>'
const page = (body: string) => `<!doctype html><html lang="en"><title>Faults</title><main><h1>Faults</h1>${body}</main></html>`

const documents: [name: string, html: string, count: number][] = [
  ['a page', page(faults), 3],
  ['a shadow root', page('<div><template shadowrootmode="open"><button></button></template></div>'), 1],
]

for (const [name, html, count] of documents) {
  test(`accessibility violations in ${name}`, async ({ page }) => {
    await page.goto(`data:text/html,${encodeURIComponent(html)}`)
    const found = await violations(page)
    expect(found).toHaveLength(count)
    const { violations: expected } = await new AxeBuilder({ page }).analyze()
    expect(found).toEqual(expected.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`))
    expect(await violations(page, 'h1')).toEqual([])
    // Checks the same document for the second time.
    expect(await violations(page)).toEqual(found)
  })
}
