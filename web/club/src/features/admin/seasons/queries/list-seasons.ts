import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'

export type Season = Database['public']['Tables']['seasons']['Row']

async function listSeasons(): Promise<Season[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase
      .from('seasons')
      .select('*', { count: 'exact' })
      .order('event_on', { ascending: false })
      .order('id')
      .range(from, to),
  )
}

/** All seasons, the latest first. */
export const seasonsQuery = queryOptions({ queryKey: ['seasons'], queryFn: listSeasons })
