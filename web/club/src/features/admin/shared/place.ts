/** The place that the judges gave to an entry (1, 2 or 3). Only entries with pictures get places. */
export function placeOf({ row }: { row: object }): number | undefined {
  const { junior_ranking, senior_ranking } = row as { junior_ranking?: number | null; senior_ranking?: number | null }
  return junior_ranking ?? senior_ranking ?? undefined
}

const words = ['1st place', '2nd place', '3rd place']

export function placeWords(place: number): string {
  return words[place - 1] ?? ''
}
