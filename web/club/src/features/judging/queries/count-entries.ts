import { queryOptions } from '@tanstack/react-query'
import type { Supabase } from '@/lib/supabase'
import type { Category, JudgedAward } from '../awards'

async function countEntries(supabase: Supabase, award: JudgedAward, category: Category): Promise<number> {
  const { count, error } = await supabase
    .from(award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')
    // One column that judges may read; a HEAD answers with the total alone.
    .select('id', { count: 'exact', head: true })
    .ilike('category', category)
  if (error) throw error
  return count ?? 0
}

/** How many entries a category has. */
export function countQuery(supabase: Supabase, award: JudgedAward, category: Category) {
  return queryOptions({
    queryKey: ['judging-count', award, category],
    queryFn: () => countEntries(supabase, award, category),
  })
}
