/** The four awards, in the order of the dashboard. */
export const awards = ['citizen', 'musician', 'photographer', 'artist'] as const
export type Award = (typeof awards)[number]

interface AwardNames {
  /** Name on the award's tab, and in the summary's column head. */
  short: string
  /** Name in the title of an entry's dialog. */
  label: string
  table: 'young_citizen_nominations' | 'young_musician_entries' | 'young_photographer_entries' | 'young_artist_entries'
  /** Heading of the tab. */
  heading: string
  /** The word for one entry of this award. */
  record: 'Nomination' | 'Entry'
}

export const awardNames: Record<Award, AwardNames> = {
  citizen: {
    short: 'Citizen',
    label: 'Young Citizen',
    table: 'young_citizen_nominations',
    heading: 'Citizen nominations',
    record: 'Nomination',
  },
  musician: {
    short: 'Musician',
    label: 'Young Musician',
    table: 'young_musician_entries',
    heading: 'Musician entries',
    record: 'Entry',
  },
  photographer: {
    short: 'Photographer',
    label: 'Young Photographer',
    table: 'young_photographer_entries',
    heading: 'Photographer entries',
    record: 'Entry',
  },
  artist: {
    short: 'Artist',
    label: 'Young Artist',
    table: 'young_artist_entries',
    heading: 'Artist entries',
    record: 'Entry',
  },
}

/** Whether a text from the database is the name of one of the four awards. */
export function isAwardName(text: string): text is Award {
  return Object.hasOwn(awardNames, text)
}
