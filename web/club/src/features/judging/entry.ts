import type { Award, Category, Place } from './awards'

/** An entry as a judge sees it, without contact data. */
export interface JudgedEntry {
  id: string
  award: Award
  /** For example "Senior" or "Vocal". */
  category: string
  entrant: string
  age: number
  school: string | undefined
  /** Title of the card: the title of the work, or the entrant's name if the work has no title. */
  title: string
  isUntitled: boolean
  /** Lines below the title, some with a label. */
  lines: { text: string; quiet: boolean; label?: string }[]
  files: string[]
  /** Recordings that were sent after the entry. */
  recordings?: string[]
  /** The judge's own scores, by the id of the criterion. */
  scores?: Readonly<Record<string, number>>
  place: Place | null
  /** Whether a judge has recorded that they know the entrant. */
  conflict: boolean
  updatedAt: string
}

export interface JudgedColumns {
  id: string
  entrant_name: string
  age: number
  school: string | null
  schools: { name: string } | null
  uploaded_files: string[] | null
  junior_ranking: number | null
  senior_ranking: number | null
  ranking_conflict: boolean
  updated_at: string
}

/** Fields that both tables have in common. */
export function commonParts(row: JudgedColumns, category: Category) {
  return {
    id: row.id,
    category,
    entrant: row.entrant_name,
    age: row.age,
    school: row.schools?.name ?? (row.school?.trim() ? row.school : undefined),
    files: row.uploaded_files ?? [],
    place: toPlace(category === 'Intermediate' ? row.junior_ranking : row.senior_ranking),
    conflict: row.ranking_conflict,
    updatedAt: row.updated_at,
  }
}

export function toPlace(ranking: number | null): Place | null {
  return ranking === 1 || ranking === 2 || ranking === 3 ? ranking : null
}

/** Removes the lines without a text. */
export function filledLines(lines: [text: string | null, quiet: boolean][]) {
  return lines.flatMap(([text, quiet]) => (text ? [{ text, quiet }] : []))
}
