import { comparable } from '../shared/comparable'
import type { Entry } from './entry'

const texts = new WeakMap<Entry, string>()

/** All text of an entry in which the search looks, in lower case and without accents. */
function textOf(entry: Entry): string {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const values: unknown[] = Object.values(entry.row)
  const words = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  const text = comparable([entry.school?.name ?? '', ...words].join('\n'))
  texts.set(entry, text)
  return text
}

/** Computes the searchable text of an entry in advance, so that the first search is fast. */
export function prepareSearch(entry: Entry) {
  textOf(entry)
}

/** The entries that contain every word of the query. */
export function searchEntries<E extends Entry>(entries: readonly E[], query: string): readonly E[] {
  const words = comparable(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter((entry) => {
    const text = textOf(entry)
    return words.every((word) => text.includes(word))
  })
}
