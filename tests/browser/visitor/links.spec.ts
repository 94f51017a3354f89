/** Every link and every file that the built pages reference exists. */
import type { APIRequestContext } from '@playwright/test'
import { expect, test } from '../support/site.ts'
import { allPaths, formPaths, paths } from '../support/pages.ts'

interface Link {
  href: string
  /** The opening tag of an element. */
  tag: string
  text: string
}

const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&')

function linksOf(html: string): Link[] {
  return [...html.matchAll(/(<a\b[^>]*>)(.*?)<\/a>/gs)].map(([, tag = '', inside = '']) => ({
    href: attribute(tag, 'href') ?? '',
    tag,
    text: inside.replace(/<[^>]*>/g, ''),
  }))
}

const sent = async (request: APIRequestContext, path: string) => (await request.get(path)).text()

test('no link within the site is broken, including fragments', async ({ request }) => {
  const found = new Map<string, string>()
  const documents = new Map<string, string>()
  for (const path of paths) {
    const html = await sent(request, path)
    documents.set(path, html)
    for (const { href } of linksOf(html)) {
      if (/^(https?|mailto):/.test(href)) continue
      const { href: address, pathname } = new URL(href, `http://site${path}`)
      // A link from a page to the same page does not count as a link to the page.
      if (pathname !== path || !found.has(address)) found.set(address, path)
    }
  }
  const dead = [...found].filter(([address]) => {
    const { pathname, hash } = new URL(address)
    const document = documents.get(pathname)
    return document === undefined || (hash !== '' && !document.includes(`id="${hash.slice(1)}"`))
  })
  expect(dead).toEqual([])
  // At least one other page has a link to each page.
  const reached = new Set([...found].filter(([address, from]) => new URL(address).pathname !== from).map(([address]) => new URL(address).pathname))
  expect(paths.filter((path) => !reached.has(path))).toEqual([])
})

test('links to other sites are marked and send no referrer; mail links contain an address', async ({ request }) => {
  let leaving = 0
  for (const path of paths) {
    for (const { href, tag, text } of linksOf(await sent(request, path))) {
      if (/^https?:/.test(href)) {
        leaving += 1
        expect(attribute(tag, 'rel'), `${path}: ${href}`).toBe('noopener noreferrer')
        expect(attribute(tag, 'target'), `${path}: ${href}`).toBe('_blank')
        expect(text, `${path}: ${href}`).toContain('(opens in a new tab)')
      }
      if (href.startsWith('mailto:')) expect(href, path).toMatch(/^mailto:[^@?]+@[^@?]+\.[a-z]+(\?subject=\S+)?$/)
      expect(text.trim(), `${path}: ${href} has no words`).not.toBe('')
    }
  }
  expect(leaving).toBeGreaterThan(paths.length)
})

test('every file that a page references exists', async ({ request }) => {
  const files = new Set<string>()
  for (const path of paths) {
    const html = await sent(request, path)
    for (const [tag] of html.matchAll(/<(?:link|script|img|source)\b[^>]*>/g)) {
      const address = attribute(tag, 'src') ?? (attribute(tag, 'rel') === 'canonical' ? undefined : attribute(tag, 'href'))
      if (address !== undefined) files.add(address)
    }
    for (const [, address = ''] of html.matchAll(/url\(["']?(\/[^)"']+)/g)) files.add(address)
  }
  for (const kind of ['.js', '.woff2', '.svg']) expect([...files].filter((file) => file.endsWith(kind)), kind).not.toHaveLength(0)
  for (const file of files) {
    const answer = await request.get(file)
    expect(answer.status(), file).toBe(200)
    if (file.startsWith('/assets/')) expect(answer.headers()['cache-control'], file).toBe('public, max-age=31536000, immutable')
  }
})

test('links around the forms lead to a page', async ({ page, site }) => {
  for (const path of [...formPaths, '/nowhere']) {
    await page.goto(path)
    await page.locator('form, h1:has-text("404")').first().waitFor()
    const addresses = await page.locator('main a[href]').evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
    for (const address of addresses.filter((one) => one.startsWith(site.url))) {
      const { pathname, hash } = new URL(address)
      expect([...allPaths, '/nowhere'], `${path} leads to ${address}`).toContain(pathname)
      if (hash !== '' && pathname === new URL(page.url()).pathname) await expect(page.locator(hash), `${path} leads to ${hash}`).toHaveCount(1)
    }
  }
})
