import { queryOptions } from '@tanstack/react-query'
import type { Supabase } from '@/lib/supabase'
import type { Category, JudgedAward } from '../awards'

async function countEntries(supabase: Supabase, award: JudgedAward, category: Category): Promise<number> {
  const { count, error } = await supabase
    .from(award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')
    // Selects one column that judges may read. A HEAD request returns only the total.
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
