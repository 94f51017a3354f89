import { comparable } from '../shared/comparable'
import type { Entry } from './entry'

/** Groups of ids of entries that hold the same file, whatever it is called. */
export type SharedFiles = readonly string[][]

/** Other entries of the same award for somebody of the same name: perhaps sent twice. */
export function likelyDuplicates(entry: Entry, entries: readonly Entry[]): Entry[] {
  const name = plainName(entry)
  return entries.filter((other) => other.id !== entry.id && other.award === entry.award && plainName(other) === name)
}

/** Other entries, of whichever award, that hold a file of this one. */
export function sharingFiles(entry: Entry, shared: SharedFiles, entries: readonly Entry[]): Entry[] {
  const ids = new Set(shared.filter((group) => group.includes(entry.id)).flat())
  return entries.filter(({ id }) => id !== entry.id && ids.has(id))
}

/** The entries of a list that are perhaps sent twice: each that has another one like it. */
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
