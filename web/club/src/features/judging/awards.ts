/** The two awards in which pictures are judged, and their two categories. */
export const judgedAwards = ['artist', 'photographer'] as const
export type JudgedAward = (typeof judgedAwards)[number]

export const awardNames: Record<JudgedAward, { short: string; full: string }> = {
  artist: { short: 'Artist', full: 'Young Artist' },
  photographer: { short: 'Photographer', full: 'Young Photographer' },
}

export const categories = ['Intermediate', 'Senior'] as const
export type Category = (typeof categories)[number]

/** For each category, the column that contains the places. */
export const rankingColumns = { Intermediate: 'junior_ranking', Senior: 'senior_ranking' } as const

export const places = [1, 2, 3] as const
export type Place = (typeof places)[number]
export const placeNames: Record<Place, string> = { 1: '1st Place', 2: '2nd Place', 3: '3rd Place' }
