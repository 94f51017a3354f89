import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { home, kinds, pagesOf } from './kinds.ts'

/** The folder that contains the pages. */
export const source = resolve(import.meta.dirname, '../../../docs')

/** The paths of all pages, relative to docs/. Folders are separated by `/`, on Windows too. */
export function listPages(folder = source) {
  const names = readdirSync(folder, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'))
  return names.filter((name) => name.endsWith('.md')).sort()
}

export function readPage(page: string) {
  return readFileSync(join(source, page), 'utf8')
}

/** The text of the page's first heading. */
export function titleOf(page: string) {
  const heading = /^# (.+)$/m.exec(readPage(page))?.[1]
  if (heading === undefined) throw new Error(`docs/${page} has no heading of level 1`)
  return heading.replaceAll('`', '')
}

/** The path of a page on the site. README.md becomes the index of its folder. */
export function siteName(page: string) {
  return page.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The link to a page below the site's base. */
export function linkTo(page: string) {
  return `/${siteName(page).replace(/\.md$/, '.html')}`.replace(/\/index\.html$/, '/')
}

export interface Entry {
  text: string
  link?: string
  collapsed?: boolean
  items?: Entry[]
}

/**
 * The entries of the sidebar, with one group for each kind. The pages of a folder are below the page with the name of the folder, or below the
 * folder's README.
 */
export function sidebar(pages = listPages()): Entry[] {
  return kinds.flatMap((kind) => {
    const items = nested(pagesOf(kind, pages))
    return items.length > 0 ? [{ text: kind.name, items }] : []
  })
}

function nested(pages: string[]) {
  const tops: Entry[] = []
  const folders = new Map<string, Entry>()
  for (const page of pages) {
    const entry: Entry = { text: titleOf(page), link: linkTo(page) }
    const folder = page.includes('/') ? (page.split('/')[0] ?? '') : ''
    const above = folders.get(folder)
    if (above === undefined) {
      tops.push(entry)
      folders.set(folder === '' ? page.replace(/\.md$/, '') : folder, entry)
    } else {
      above.collapsed = true
      above.items = [...(above.items ?? []), entry]
    }
  }
  return tops
}

/** All pages except the home page, in the order of the sidebar. */
export function ordered(pages = listPages()) {
  return kinds.map((kind) => ({ kind, pages: pagesOf(kind, pages).filter((page) => page !== home) }))
}

/** The version of Cloch. It is read from the Cargo workspace. */
export function version() {
  const file = resolve(source, '../Cargo.toml')
  return /^version = "(.+)"$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
}
