import { queryOptions } from '@tanstack/react-query'
import type { Supabase } from '@/lib/supabase'
import type { Category, JudgedAward } from '../awards'

async function countEntries(supabase: Supabase, award: JudgedAward, category: Category): Promise<number> {
  const { count, error } = await supabase
    .from(award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')
    // Judges may not read all columns, so only one is selected. Because of `head`, no rows are returned, only their number.
    .select('id', { count: 'exact', head: true })
    .ilike('category', category)
  if (error) throw error
  return count ?? 0
}

/** The number of entries in a category. */
export function countQuery(supabase: Supabase, award: JudgedAward, category: Category) {
  return queryOptions({
    queryKey: ['judging-count', award, category],
    queryFn: () => countEntries(supabase, award, category),
  })
}
