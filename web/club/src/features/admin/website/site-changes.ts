import type { seasonTexts, SiteContent, TextName } from '@/lib/site-content'

export interface SiteChange {
  /** The page that shows the change to visitors. */
  page: string
  kind: 'appears' | 'changes' | 'disappears'
  what: string
}

/** A list on a page. Items are identified by their names. */
interface PageList {
  page: string
  items: (content: SiteContent) => ListItem[]
}

interface ListItem {
  name: string
  value: unknown
  /** Additional information about the item, if there is any. */
  mark?: string
}

const named = <Item>(items: readonly Item[] | undefined, name: (item: Item) => string): ListItem[] =>
  (items ?? []).map((item) => ({ name: name(item), value: item }))

const awardPages = {
  citizen: 'Young Citizen',
  musician: 'Young Musician',
  photographer: 'Young Photographer',
  artist: 'Young Artist',
} as const
const winnerLists = Object.entries(awardPages).map(([award, page]): PageList => ({
  page,
  items: ({ winners }) => named(winners[award as keyof typeof awardPages], ({ year }) => `Winners of ${year}`),
}))

const lists: PageList[] = [
  { page: 'Home', items: ({ home }) => named(home, ({ title }) => title) },
  { page: 'Events, at the head', items: ({ featured }) => named(featured, ({ title }) => title) },
  {
    page: 'Events',
    items: ({ events }) =>
      events.map((value) => ({ name: value.title, value, ...(value.isPast ? { mark: 'now says “Past”' } : {}) })),
  },
  {
    page: 'Events, speakers',
    items: ({ speakers }) =>
      named(
        speakers.flatMap(({ rows }) => rows),
        ({ date }) => date,
      ),
  },
  ...winnerLists,
  { page: 'Corporate membership', items: ({ partners }) => named(partners, ({ name }) => name) },
  { page: 'Corporate membership', items: ({ corporate }) => named(corporate.benefits, ({ name }) => name) },
  { page: 'Corporate membership', items: ({ corporate }) => named(corporate.projects, ({ name }) => name) },
  { page: 'Corporate membership', items: ({ corporate }) => named(corporate.steps, ({ text }) => text) },
  { page: 'Club history', items: ({ chapters }) => named(chapters, ({ years, title }) => `${years}: ${title}`) },
  { page: 'Club history', items: ({ figures }) => named(figures.history, ({ figure }) => figure) },
  {
    page: 'Results',
    items: ({ results }) =>
      results.flatMap(({ award, rows }) =>
        named(rows, ({ name, result, category }) => `${award}: ${name}, ${result}, ${category}`),
      ),
  },
  { page: 'Results, gallery', items: ({ gallery }) => named(gallery, ({ alt }) => alt) },
  { page: 'About', items: ({ figures }) => named(figures.about, ({ figure }) => figure) },
]

/** The name of a text that is published. The season's dates are not published: a change of them is visible at once. */
type PublishedText = Exclude<TextName, (typeof seasonTexts)[number]>

/** The page and the description of each text. */
const texts: Record<PublishedText, [page: string, what: string]> = {
  theme: ['Young Artist', 'Theme'],
  speakersTitle: ['Events, speakers', 'Title of the schedule'],
  memorial: ['Club history', 'In memory'],
  region: ['Club history', 'Our region'],
  corporateLede: ['Corporate membership', 'The sentence at the head'],
}

/** The changes that visitors will see when `draft` replaces `published`, page by page. */
export function siteChanges(published: SiteContent, draft: SiteContent): SiteChange[] {
  const changes = (Object.keys(texts) as PublishedText[])
    .filter((name) => published.texts[name] !== draft.texts[name])
    .map((name): SiteChange => {
      const [page, what] = texts[name]
      return { page, kind: 'changes', what: `${what}: ${draft.texts[name]}` }
    })
  return [...changes, ...lists.flatMap((list) => listChanges(list, published, draft))]
}

function listChanges({ page, items }: PageList, published: SiteContent, draft: SiteContent): SiteChange[] {
  const before = counted(items(published))
  const after = counted(items(draft))
  const kept = [...after.keys()].filter((name) => before.has(name))
  const changes = [
    ...[...after.keys()].filter((name) => !before.has(name)).map((what): SiteChange => ({ page, kind: 'appears', what })),
    ...kept
      .filter((name) => before.get(name)?.text !== after.get(name)?.text)
      .map((name): SiteChange => {
        const mark = after.get(name)?.mark
        const isNew = mark !== undefined && mark !== before.get(name)?.mark
        return { page, kind: 'changes', what: isNew ? `${name}: ${mark}` : name }
      }),
    ...[...before.keys()].filter((name) => !after.has(name)).map((what): SiteChange => ({ page, kind: 'disappears', what })),
  ]
  const orderBefore = [...before.keys()].filter((name) => after.has(name))
  if (orderBefore.join('\n') !== kept.join('\n')) changes.push({ page, kind: 'changes', what: 'Order of the list' })
  return changes
}

/** Items by name. If several items have the same name, a number is added to the name. */
function counted(items: ListItem[]): Map<string, { text: string; mark: string | undefined }> {
  const found = new Map<string, { text: string; mark: string | undefined }>()
  for (const { name, value, mark } of items) {
    let unique = name
    for (let number = 2; found.has(unique); number += 1) unique = `${name} (${number})`
    found.set(unique, { text: JSON.stringify(value), mark })
  }
  return found
}
