import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'

export type SeasonTotal = Database['public']['Tables']['season_totals']['Row']

async function listTotals(): Promise<SeasonTotal[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase
      .from('season_totals')
      .select('*', { count: 'exact' })
      .order('season', { ascending: false })
      .order('award')
      .order('category')
      .range(from, to),
  )
}

/** The totals of deleted seasons. */
export const totalsQuery = queryOptions({ queryKey: ['season-totals'], queryFn: listTotals })
