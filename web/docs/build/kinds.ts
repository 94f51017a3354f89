/**
 * The four kinds of pages, in the order of the sidebar. `start` means start.md and all pages in the folder start/. If a page belongs to no kind, the
 * test build/kinds.test.ts fails.
 */
export interface Kind {
  name: string
  purpose: string
  pages: string[]
}

export const kinds: Kind[] = [
  {
    name: 'Tutorials',
    purpose: 'Lessons that you follow step by step.',
    pages: ['start', 'tutorials', 'examples', 'volunteers'],
  },
  {
    name: 'How-to guides',
    purpose: 'How to reach one goal.',
    pages: ['how-to', 'installing', 'moving-in', 'mail', 'operations', 'monitoring', 'upgrading', 'why', 'releasing'],
  },
  {
    name: 'Reference',
    purpose: 'Complete lists: what there is, and what it does.',
    pages: [
      'reference',
      'cli',
      'configuration',
      'compatibility',
      'auth',
      'table-rest',
      'storage',
      's3-tools',
      'realtime',
      'functions',
      'clients',
      'extensions',
      'role-postgres',
      'dashboard',
      'dashboard-tasks',
      'management',
      'advisors',
      'openid',
      'backup-format',
      'benchmarks',
      'GLOSSARY',
    ],
  },
  {
    name: 'Explanation',
    purpose: 'Why Cloch is made as it is.',
    pages: ['explanation', 'comparison', 'security', 'security-reviews', 'ARCHITECTURE', 'testing', 'club', 'decisions'],
  },
]

/** The home page of the site. It belongs to no kind. */
export const home = 'README.md'

/** The kinds that contain a page. A page should belong to exactly one kind. @param page a path relative to docs/ */
export function kindsOf(page: string) {
  return kinds.filter((kind) => kind.pages.some((name) => covers(name, page)))
}

/** The pages of a kind, in the order in which the kind lists them. The pages of a folder are sorted by name. */
export function pagesOf(kind: Kind, pages: string[]) {
  return kind.pages.flatMap((name) => pages.filter((page) => covers(name, page)).sort(readmeFirst))
}

function covers(name: string, page: string) {
  return page === `${name}.md` || page.startsWith(`${name}/`)
}

function readmeFirst(a: string, b: string) {
  const rank = (page: string) => (page.endsWith('README.md') ? 0 : 1)
  return a.split('/').length - b.split('/').length || rank(a) - rank(b) || (a < b ? -1 : 1)
}
