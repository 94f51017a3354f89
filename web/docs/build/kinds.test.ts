import { expect, test } from 'vitest'
import { home, kinds, kindsOf, pagesOf } from './kinds.ts'
import { listPages, sidebar, titleOf } from './pages.ts'

const pages = listPages()

test('every page belongs to one kind', () => {
  const wrong = pages
    .filter((page) => page !== home && kindsOf(page).length !== 1)
    .map((page) => `${page}: ${kindsOf(page).length} kinds. Name it in web/docs/build/kinds.ts`)
  expect(wrong).toEqual([])
})

test('the sidebar links to every page once', () => {
  const links: string[] = []
  const collect = (entries: ReturnType<typeof sidebar>) =>
    entries.forEach((entry) => {
      if (entry.link !== undefined) links.push(entry.link)
      collect(entry.items ?? [])
    })
  collect(sidebar())
  expect(links).toHaveLength(pages.length - 1)
  expect(new Set(links).size).toBe(links.length)
})

test('a name matches a page and the folder with this name, and no other page', () => {
  const kind = { name: '', purpose: '', pages: ['auth', 'decisions'] }
  const files = ['auth.md', 'auth/b.md', 'auth/a.md', 'authority.md', 'decisions/0001.md', 'decisions/README.md', 'x/auth.md']
  expect(pagesOf(kind, files)).toEqual(['auth.md', 'auth/a.md', 'auth/b.md', 'decisions/README.md', 'decisions/0001.md'])
})

test('every page has a title, and every kind contains a page', () => {
  expect(pages.map(titleOf).filter((title) => title.trim() === '')).toEqual([])
  expect(kinds.filter((kind) => pagesOf(kind, pages).length === 0)).toEqual([])
})
