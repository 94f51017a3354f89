import type { Entry } from '../entries/entry'
import { placeOf, placeWords } from '../shared/place'
import { allEntries, type Submissions } from '../entries/submissions'
import { awardNames, type Award } from '../shared/award'

/** A winner, or an entry with a place. */
export interface Honour {
  id: string
  award: Award
  /** Name of the category, such as "Senior" or "Vocal". */
  category: string
  /** Place from 1 to 3; undefined for an award without places. */
  place: number | undefined
  /** For example "1st place" or "Winner". */
  result: string
  name: string
  /** Title of the picture or piece; empty for the citizen award. */
  title: string
  school: string
  /** Whether the consent to publicity is recorded. */
  isPublic: boolean
}

/** The entries that get a certificate: those with a place, and those whose sender got the mail for winners. Sorted by award, category and place. */
export function honours(submissions: Submissions, winners: ReadonlySet<string>): Honour[] {
  return allEntries(submissions)
    .filter((entry) => placeOf(entry) !== undefined || winners.has(entry.id))
    .map(toHonour)
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name, 'en'))
}

const awardOrder = Object.keys(awardNames)
const categoryOrder = ['Individual', 'Group', 'Vocal', 'Instrumental', 'Junior', 'Intermediate', 'Senior']

function rank({ award, category, place = 9 }: Honour): number {
  return awardOrder.indexOf(award) * 1000 + categoryOrder.indexOf(category) * 10 + place
}

function toHonour(entry: Entry): Honour {
  const place = placeOf(entry)
  return {
    id: entry.id,
    award: entry.award,
    category: categoryOf(entry),
    place,
    result: place === undefined ? 'Winner' : placeWords(place),
    name: entry.name,
    title: titleOf(entry),
    school: entry.school?.name ?? ('school' in entry.row ? (entry.row.school ?? '') : ''),
    isPublic: entry.row.publicity_consent === 'agree',
  }
}

function categoryOf(entry: Entry): string {
  const word = entry.award === 'citizen' ? entry.row.nomination_type : entry.row.category
  return categoryOrder.find((known) => word.toLowerCase().includes(known.toLowerCase())) ?? word
}

function titleOf({ row }: Entry): string {
  if ('artwork_title' in row) return row.artwork_title ?? ''
  if ('photo_title' in row) return row.photo_title ?? ''
  if ('piece_title' in row) return row.piece_title ?? ''
  return ''
}
