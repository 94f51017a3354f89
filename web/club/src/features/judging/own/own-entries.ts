import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod'
import { fetchAll } from '@/lib/fetch-all'
import type { Supabase } from '@/lib/supabase'
import type { Award } from '../awards'
import { toPlace, type JudgedEntry } from '../entry'
import { categoryName, ownPause } from './own-judging'

const factsSchema = z.array(z.tuple([z.string(), z.string().nullable()]))
const scoresSchema = z.record(z.string(), z.number())

/** A row of entries_to_judge. */
export interface OwnRow {
  id: string
  entrant: string
  age: number
  school: string | null
  title: string | null
  facts: unknown
  files: string[]
  recordings: string[]
  place: number | null
  known: boolean
  scores: unknown
  created_at: string
}

/** Labels of short lines that are shown in a lighter style. Descriptions are not in this list. */
const quietLabels = ['Medium', 'Equipment', 'Instrument', 'Voice type', 'Composer', 'Duration']
/** Facts that are shown without a label, because they are obvious. */
const unlabelled = ['Medium', 'Equipment']

export function toJudgedEntry(award: Award, category: string, row: OwnRow): JudgedEntry {
  const work = award === 'musician' ? 'The music of' : 'The work of'
  const title = row.title?.trim() ?? ''
  return {
    id: row.id,
    award,
    category: categoryName(category),
    entrant: row.entrant,
    age: row.age,
    school: row.school ?? undefined,
    title: title !== '' ? title : award === 'citizen' ? row.entrant : `${work} ${row.entrant}`,
    isUntitled: title === '',
    lines: factsSchema.parse(row.facts).flatMap(([label, text]) => {
      if (!text?.trim()) return []
      const line = { text, quiet: quietLabels.includes(label) }
      return [label === '' || unlabelled.includes(label) ? line : { ...line, label }]
    }),
    files: row.files,
    recordings: row.recordings,
    place: toPlace(row.place),
    conflict: row.known,
    scores: scoresSchema.parse(row.scores),
    updatedAt: row.created_at,
  }
}

/** The entries of a category, oldest first, with the judge's own marks. */
export function ownEntriesQuery(supabase: Supabase, award: Award, category: string) {
  return queryOptions({
    queryKey: ['judging', award, categoryName(category)],
    queryFn: async () => {
      const rows = await fetchAll<OwnRow>((from, to) =>
        supabase
          .rpc('entries_to_judge', { award, category }, { count: 'exact' })
          .order('created_at')
          .order('id')
          .range(from, to),
      )
      return rows.map((row) => toJudgedEntry(award, category, row))
    },
    staleTime: 0,
    refetchInterval: ownPause,
  })
}
