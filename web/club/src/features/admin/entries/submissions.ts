import { awards } from '../shared/award'
import type { ArtistEntry, CitizenEntry, Entry, MusicianEntry, PhotographerEntry } from './entry'

/** The entries of all awards. An award is undefined until its entries have been read. */
export interface Submissions {
  citizen: CitizenEntry[] | undefined
  musician: MusicianEntry[] | undefined
  photographer: PhotographerEntry[] | undefined
  artist: ArtistEntry[] | undefined
  /** The withdrawn entries of all awards. The four lists do not contain them. */
  withdrawn: Entry[]
  /** Whether the entries of one award could not be read. */
  failed: boolean
  retry: () => void
}

/** All entries that have been loaded from the server, in the order of the awards. */
export function allEntries(submissions: Submissions): Entry[] {
  return awards.flatMap((award): Entry[] => submissions[award] ?? [])
}

/** The number of entries; undefined until the entries of every award have been read. */
export function countEntries(submissions: Submissions): number | undefined {
  return awards.some((award) => submissions[award] === undefined) ? undefined : allEntries(submissions).length
}

/** Finds an entry of any award by its id. Withdrawn entries are found too. */
export function findEntry(submissions: Submissions, id: string): Entry | undefined {
  return id === '' ? undefined : [...allEntries(submissions), ...submissions.withdrawn].find((entry) => entry.id === id)
}
