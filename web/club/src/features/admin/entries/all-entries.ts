import { awards } from './award'
import type { Entry } from './entry'
import type { Submissions } from './use-submissions'

/** The entries of all awards that have been read, award by award. */
export function allEntries(submissions: Submissions): Entry[] {
  return awards.flatMap((award): Entry[] => submissions[award] ?? [])
}
