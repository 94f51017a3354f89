import { comparable } from '../shared/comparable'
import type { Entry } from './entry'

/** Other entries of the same award for somebody of the same name: perhaps sent twice. */
export function likelyDuplicates(entry: Entry, entries: readonly Entry[]): Entry[] {
  const name = plainName(entry.name)
  return entries.filter((other) => other.id !== entry.id && other.award === entry.award && plainName(other.name) === name)
}

function plainName(name: string): string {
  return comparable(name)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
