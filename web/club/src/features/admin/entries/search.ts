import { comparable } from '../shared/comparable'
import type { Entry } from './entry'

const texts = new WeakMap<Entry, string>()

/** Everything that can be read in an entry, in small letters without accents. */
function textOf(entry: Entry): string {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const values: unknown[] = Object.values(entry.row)
  const words = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  const text = comparable([entry.school?.name ?? '', ...words].join('\n'))
  texts.set(entry, text)
  return text
}

/** Prepares an entry for the first search. */
export function prepareSearch(entry: Entry) {
  textOf(entry)
}

/** The entries in which every word of the query occurs. */
export function searchEntries<E extends Entry>(entries: readonly E[], query: string): readonly E[] {
  const words = comparable(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter((entry) => {
    const text = textOf(entry)
    return words.every((word) => text.includes(word))
  })
}
