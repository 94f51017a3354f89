/** The two awards that are judged by pictures, and their two categories. */
export const judgedAwards = ['artist', 'photographer'] as const
export type JudgedAward = (typeof judgedAwards)[number]

export const awardNames: Record<JudgedAward, { short: string; full: string }> = {
  artist: { short: 'Artist', full: 'Young Artist' },
  photographer: { short: 'Photographer', full: 'Young Photographer' },
}

export const categories = ['Intermediate', 'Senior'] as const
export type Category = (typeof categories)[number]

/** The column with the places of a category. */
export const rankingColumns = { Intermediate: 'junior_ranking', Senior: 'senior_ranking' } as const

export const places = [1, 2, 3] as const
export type Place = (typeof places)[number]
export const placeNames: Record<Place, string> = { 1: '1st Place', 2: '2nd Place', 3: '3rd Place' }
