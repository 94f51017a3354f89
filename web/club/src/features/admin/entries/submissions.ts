import { awards } from '../shared/award'
import type { ArtistEntry, CitizenEntry, Entry, MusicianEntry, PhotographerEntry } from './entry'

/** The entries of all awards. An award is undefined until its entries have been read. */
export interface Submissions {
  citizen: CitizenEntry[] | undefined
  musician: MusicianEntry[] | undefined
  photographer: PhotographerEntry[] | undefined
  artist: ArtistEntry[] | undefined
  /** The withdrawn entries of all awards, which are in none of the four lists. */
  withdrawn: Entry[]
  /** Whether the entries of one award could not be read. */
  failed: boolean
  retry: () => void
}

/** All entries that have been read, award by award. */
export function allEntries(submissions: Submissions): Entry[] {
  return awards.flatMap((award): Entry[] => submissions[award] ?? [])
}

/** The number of entries; undefined until those of every award have been read. */
export function countEntries(submissions: Submissions): number | undefined {
  return awards.some((award) => submissions[award] === undefined) ? undefined : allEntries(submissions).length
}

/** The entry with an id, of any award, withdrawn or not. */
export function findEntry(submissions: Submissions, id: string): Entry | undefined {
  return id === '' ? undefined : [...allEntries(submissions), ...submissions.withdrawn].find((entry) => entry.id === id)
}
