import { comparable } from '../shared/comparable'
import type { Entry } from './entry'

/** Groups of entries, given by their ids, that contain the same file. Files are compared by content, not by name. */
export type SharedFiles = readonly string[][]

/** Other entries of the same award with the same name. They may be the same entry, sent twice. */
export function likelyDuplicates(entry: Entry, entries: readonly Entry[]): Entry[] {
  const name = plainName(entry)
  return entries.filter((other) => other.id !== entry.id && other.award === entry.award && plainName(other) === name)
}

/** Entries of any award that contain a file which is also in this entry. */
export function sharingFiles(entry: Entry, shared: SharedFiles, entries: readonly Entry[]): Entry[] {
  const ids = new Set(shared.filter((group) => group.includes(entry.id)).flat())
  return entries.filter(({ id }) => id !== entry.id && ids.has(id))
}

/** Ids of the entries in a list that may have been sent twice. */
export function suspects(entries: readonly Entry[], shared: SharedFiles): ReadonlySet<string> {
  const names = new Map<string, string[]>()
  for (const entry of entries) {
    const key = `${entry.award} ${plainName(entry)}`
    const group = names.get(key)
    if (group) group.push(entry.id)
    else names.set(key, [entry.id])
  }
  return new Set([...[...names.values()].filter((ids) => ids.length > 1), ...shared].flat())
}

const names = new WeakMap<Entry, string>()

function plainName(entry: Entry): string {
  const known = names.get(entry)
  if (known !== undefined) return known
  const name = comparable(entry.name)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  names.set(entry, name)
  return name
}
