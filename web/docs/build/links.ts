import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const attributes = /\s(href|src)="([^"]*)"/g

/**
 * The broken links of the built pages: the file or the anchor does not exist, or the URL does not begin with the site's base. A file that is
 * loaded from another origin (script, style, picture) counts as broken too, because the site must work without a network. Links for the reader
 * may lead to another origin.
 */
export function brokenLinks(outDir: string, base: string) {
  const pages = readdirSync(outDir, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.html'))
  const ids = new Map(pages.map((page) => [page, anchors(join(outDir, page))]))
  const broken = pages.flatMap((page) =>
    targets(readFileSync(join(outDir, page), 'utf8')).flatMap((target) => problem(page, target)),
  )
  return { pages: pages.length, broken }

  function problem(page: string, { url, isLoaded }: Target) {
    if (/^[a-z][a-z+.-]*:|^\/\//i.test(url)) {
      const isAllowed = !isLoaded || url.startsWith('data:')
      return isAllowed && URL.canParse(url) ? [] : [`${page}: ${url}`]
    }
    const [path = '', anchor] = decodeURI(url).split('#')
    const absolute = path.startsWith('/') ? path : path === '' ? `${base}${page}` : join(base, dirname(page), path)
    if (!absolute.startsWith(base)) return [`${page}: ${url}`]
    const file = fileOf(outDir, absolute.slice(base.length).replace(/\?.*$/, ''))
    if (file === undefined) return [`${page}: ${url}`]
    return anchor === undefined || anchor === '' || ids.get(file)?.has(anchor) ? [] : [`${page}: ${url}`]
  }
}

interface Target {
  url: string
  isLoaded: boolean
}

function targets(html: string): Target[] {
  return [...html.matchAll(/<([a-z][\w-]*)\b([^>]*)>/gi)].flatMap(([, tag = '', rest = '']) =>
    [...` ${rest}`.matchAll(attributes)].map(([, name, url = '']) => ({
      url: url.replaceAll('&amp;', '&'),
      isLoaded: name === 'src' || tag === 'link',
    })),
  )
}

function anchors(file: string) {
  return new Set([...readFileSync(file, 'utf8').matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id))
}

function fileOf(outDir: string, path: string) {
  const names = [path, join(path, 'index.html'), `${path}.html`]
  return names.find((name) => existsSync(join(outDir, name)) && statSync(join(outDir, name)).isFile())
}
