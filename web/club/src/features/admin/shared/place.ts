interface Placed {
  junior_ranking?: number | null
  senior_ranking?: number | null
  place?: number | null
}

/** Returns the place of an entry (1, 2 or 3). Entries with pictures have one column per category, all other entries have one column. */
export function placeOf({ row }: { row: object }): number | undefined {
  const { junior_ranking, senior_ranking, place } = row as Placed
  return junior_ranking ?? senior_ranking ?? place ?? undefined
}

const words = ['1st place', '2nd place', '3rd place']

export function placeWords(place: number): string {
  return words[place - 1] ?? ''
}
