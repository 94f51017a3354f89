import { awards } from '../shared/award'
import type { ArtistEntry, CitizenEntry, Entry, MusicianEntry, PhotographerEntry } from './entry'

/** The entries of all awards; an award is undefined until it has been read. */
export interface Submissions {
  citizen: CitizenEntry[] | undefined
  musician: MusicianEntry[] | undefined
  photographer: PhotographerEntry[] | undefined
  artist: ArtistEntry[] | undefined
  /** Those of all awards that were withdrawn; they are in none of the four lists. */
  withdrawn: Entry[]
  /** One of the four could not be read. */
  failed: boolean
  retry: () => void
}

/** The entries of all awards that have been read, award by award. */
export function allEntries(submissions: Submissions): Entry[] {
  return awards.flatMap((award): Entry[] => submissions[award] ?? [])
}

/** How many there are; undefined until every award has been read. */
export function countEntries(submissions: Submissions): number | undefined {
  return awards.some((award) => submissions[award] === undefined) ? undefined : allEntries(submissions).length
}

/** The entry with this id, of whichever award, withdrawn or not. */
export function findEntry(submissions: Submissions, id: string): Entry | undefined {
  return id === '' ? undefined : [...allEntries(submissions), ...submissions.withdrawn].find((entry) => entry.id === id)
}
