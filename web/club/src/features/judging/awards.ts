/** The two awards in which judges with the shared password judge pictures, and their two categories. */
export const judgedAwards = ['artist', 'photographer'] as const
export type JudgedAward = (typeof judgedAwards)[number]
/** All awards. A judge with a link judges only the awards of the judge's own categories. */
export type Award = JudgedAward | 'citizen' | 'musician'

export const awardNames: Record<Award, { short: string; full: string }> = {
  citizen: { short: 'Citizen', full: 'Young Citizen' },
  musician: { short: 'Musician', full: 'Young Musician' },
  photographer: { short: 'Photographer', full: 'Young Photographer' },
  artist: { short: 'Artist', full: 'Young Artist' },
}

export const categories = ['Intermediate', 'Senior'] as const
export type Category = (typeof categories)[number]

export const places = [1, 2, 3] as const
export type Place = (typeof places)[number]
export const placeNames: Record<Place, string> = { 1: '1st Place', 2: '2nd Place', 3: '3rd Place' }
