import { awards } from '../entries/award'
import { isVocal } from '../entries/entry'
import type { Submissions } from '../entries/use-submissions'
import type { TabName } from './tab-list'

/** The counts that stand on the tabs: "12", and for musicians "9 V / 14 I". */
export function tabCounts(submissions: Submissions): Partial<Record<TabName, string>> {
  const { citizen, musician, photographer, artist } = submissions
  const counts: Partial<Record<TabName, string>> = {}
  if (citizen) counts.citizen = String(citizen.length)
  if (musician) {
    const vocal = musician.filter((entry) => isVocal(entry.row)).length
    counts.musician = `${vocal} V / ${musician.length - vocal} I`
  }
  if (photographer) counts.photographer = String(photographer.length)
  if (artist) counts.artist = String(artist.length)
  return counts
}

/** All submissions; undefined until every award has been read. */
export function total(submissions: Submissions): number | undefined {
  return awards.reduce<number | undefined>((sum, award) => {
    const entries = submissions[award]
    return sum === undefined || entries === undefined ? undefined : sum + entries.length
  }, 0)
}
