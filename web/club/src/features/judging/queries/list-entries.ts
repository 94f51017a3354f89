import { queryOptions } from '@tanstack/react-query'
import { fetchAll } from '@/lib/fetch-all'
import type { Supabase } from '@/lib/supabase'
import type { Category, JudgedAward } from '../awards'
import { commonParts, filledLines, type JudgedEntry } from '../entry'
import { followPause } from '../use-follow'

/** The columns that judges may read. */
const common =
  'id, entrant_name, age, school, schools(name), category, uploaded_files, junior_ranking, senior_ranking, ranking_conflict, updated_at'

/** Title of the card: the title of the work, or the entrant's name if the work has no title. */
function titleOf(title: string | null, row: { entrant_name: string }) {
  return title?.trim() ? { title, isUntitled: false } : { title: `The work of ${row.entrant_name}`, isUntitled: true }
}

async function listArtists(supabase: Supabase, category: Category): Promise<JudgedEntry[]> {
  const rows = await fetchAll((from, to) =>
    supabase
      .from('young_artist_entries')
      .select(`${common}, artwork_title, medium, artwork_description`, { count: 'exact' })
      .ilike('category', category)
      .order('created_at')
      .order('id')
      .range(from, to),
  )
  return rows.map((row) => ({
    ...commonParts(row, category),
    award: 'artist',
    ...titleOf(row.artwork_title, row),
    lines: filledLines([
      [row.medium, true],
      [row.artwork_description, false],
    ]),
  }))
}

async function listPhotographers(supabase: Supabase, category: Category): Promise<JudgedEntry[]> {
  const rows = await fetchAll((from, to) =>
    supabase
      .from('young_photographer_entries')
      .select(`${common}, photo_title, photo_description, camera_equipment`, { count: 'exact' })
      .ilike('category', category)
      .order('created_at')
      .order('id')
      .range(from, to),
  )
  return rows.map((row) => ({
    ...commonParts(row, category),
    award: 'photographer',
    ...titleOf(row.photo_title, row),
    lines: filledLines([
      [row.photo_description, false],
      [row.camera_equipment, true],
    ]),
  }))
}

/** The entries of a category, oldest first. */
export function entriesQuery(supabase: Supabase, award: JudgedAward, category: Category) {
  return queryOptions({
    queryKey: ['judging', award, category],
    queryFn: () => (award === 'artist' ? listArtists(supabase, category) : listPhotographers(supabase, category)),
    staleTime: 0,
    refetchInterval: followPause,
  })
}
