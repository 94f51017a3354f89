/**
 * Pages are rendered once, at build time, but show content that the club publishes later. Therefore a page rendered at build time contains templates
 * in place of this content, and the server fills them in (placeholders.rs): `each` marks a part that is repeated for every item of a list, `when` a
 * part that depends on a value. In the browser, both functions render the content itself. The HTML is then identical to that of the server.
 */
import { Fragment, type ReactNode } from 'react'
import firstContent from '@/content/first-content.json'
import { pictureNames, type EntryState, type GalleryPicture, type Retention, type SiteContent } from './site-content'

/** For each template list, its path in the content. A template list has one item, whose fields are placeholders. */
const paths = new WeakMap<readonly unknown[], string>()
const valuePattern = /^\{cloch:text:([\w.]+)\|/

/** Renders every item of a list, or `none` if the list is empty. */
export function each<Item>(
  list: readonly Item[],
  draw: (item: Item, index: number) => ReactNode,
  none: ReactNode = null,
): ReactNode {
  const path = paths.get(list)
  const [sample] = list
  if (path !== undefined && sample !== undefined) {
    return (
      <>
        {`{cloch:each:${path}}`}
        {draw(sample, 0)}
        {'{cloch:else}'}
        {none}
        {'{cloch:end}'}
      </>
    )
  }
  if (list.length === 0) return none
  return list.map((item, index) => <Fragment key={index}>{draw(item, index)}</Fragment>)
}

/** Renders a part that depends on a value: `yes` if there is a value, `no` if the value is null, empty or false. */
export function when<Value>(
  value: Value | null | undefined | false | '',
  yes: (value: Value) => ReactNode,
  no: ReactNode = null,
): ReactNode {
  const path = typeof value === 'string' ? valuePattern.exec(value)?.[1] : undefined
  if (path !== undefined) {
    return (
      <>
        {`{cloch:if:${path}}`}
        {yes(value as Value)}
        {'{cloch:else}'}
        {no}
        {'{cloch:end}'}
      </>
    )
  }
  return value ? yes(value) : no
}

/** Encodes a text for use in a URL. At build time, marks the placeholder instead, so that the server encodes the value when it inserts it. */
export function encodeText(text: string): string {
  return valuePattern.test(text) ? text.replace('{cloch:text:', '{cloch:url:') : encodeURIComponent(text)
}

function list<Item>(path: string, item: Item): Item[] {
  const items = [item]
  paths.set(items, path)
  return items
}

/**
 * Returns an item in which every field is a placeholder. The placeholders are texts, whatever the type of the field: pages only show a value or check
 * whether there is one.
 */
function sample<Item extends object>(item: Item): Item {
  return Object.fromEntries(Object.keys(item).map((name) => [name, `{cloch:text:item.${name}|}`])) as Item
}

/**
 * The content with which pages are rendered at build time: every value is a placeholder, and every list has one item, which consists of placeholders.
 */
export function templateContent(): SiteContent {
  const { texts, events, speakers, winners, partners, chapters, figures, corporate } = firstContent
  const event = sample(firstOf(events))
  const evening = sample(firstOf(firstOf(speakers).rows))
  const winnersOf = (award: keyof typeof winners) => list(`content.winners.${award}`, sample(firstOf(winners[award])))
  return {
    texts: Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, `{cloch:text:content.texts.${name}|${text}}`]),
    ) as SiteContent['texts'],
    events: list('content.events', event),
    home: list('content.home', event),
    featured: list('content.featured', event),
    speakers: list('content.speakers', { month: '{cloch:text:item.month|}', rows: list('item.rows', evening) }),
    winners: {
      citizen: winnersOf('citizen'),
      musician: winnersOf('musician'),
      photographer: winnersOf('photographer'),
      artist: winnersOf('artist'),
    },
    partners: list('content.partners', sample(firstOf(partners))),
    chapters: list('content.chapters', sample(firstOf(chapters))),
    figures: {
      about: list('content.figures.about', sample(firstOf(figures.about))),
      history: list('content.figures.history', sample(firstOf(figures.history))),
    },
    corporate: {
      benefits: list('content.corporate.benefits', sample(firstOf(corporate.benefits))),
      projects: list('content.corporate.projects', { ...sample({ name: '', text: '' }), pictures: pictureMarks() }),
      steps: list('content.corporate.steps', sample(firstOf(corporate.steps))),
    },
    // The initial content has no results and no seasons, so there are no items from which the names of the fields could be taken.
    results: list('content.results', {
      award: '{cloch:text:item.award|}',
      rows: list('item.rows', sample({ result: '', category: '', name: '', title: '' })),
    }),
    gallery: list('content.gallery', sample<GalleryPicture>({ picture: '', name: '', title: '', alt: '' })),
    retention: list('content.retention', sample<Retention>({ season: '', event: '', due: '', deleted: '' })),
    entries: entryMarks(),
  }
}

/** Placeholders for the state of entries, on which parts of pages depend. */
function entryMarks(): EntryState {
  const names = ['isClosed', 'closedOn', 'opensOn'] as const satisfies (keyof EntryState)[]
  return Object.fromEntries(names.map((name) => [name, `{cloch:text:content.entries.${name}|}`])) as unknown as EntryState
}

/** A placeholder for each picture. The build renders all pictures, and the server keeps only the one that is chosen. */
function pictureMarks() {
  return Object.fromEntries(pictureNames.map((name) => [name, `{cloch:text:item.pictures.${name}|}`])) as Record<string, never>
}

function firstOf<Item>(items: readonly Item[]): Item {
  const [first] = items
  if (first === undefined) throw new Error('The first content has an empty list, which no template can be made of.')
  return first
}
