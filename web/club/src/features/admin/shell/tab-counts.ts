import { isVocal } from '../entries/entry'
import type { Submissions } from '../entries/submissions'
import type { TabName } from '../shared/tab-list'

/** The counts shown on the tabs: "(12)" for most awards; for musicians "(9 V / 14 I)", that is 9 vocal and 14 instrumental entries. */
export function tabCounts(submissions: Submissions): Partial<Record<TabName, string>> {
  const { citizen, musician, photographer, artist } = submissions
  const counts: Partial<Record<TabName, string>> = {}
  if (citizen) counts.citizen = `(${citizen.length})`
  if (musician) {
    const vocal = musician.filter((entry) => isVocal(entry.row)).length
    counts.musician = `(${vocal} V / ${musician.length - vocal} I)`
  }
  if (photographer) counts.photographer = `(${photographer.length})`
  if (artist) counts.artist = `(${artist.length})`
  return counts
}
