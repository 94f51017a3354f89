import { allEntries } from './all-entries'
import type { Entry } from './entry'
import type { Submissions } from './use-submissions'

/** The entry with this id, of whichever award. */
export function findEntry(submissions: Submissions, id: string): Entry | undefined {
  return id === '' ? undefined : allEntries(submissions).find((entry) => entry.id === id)
}
