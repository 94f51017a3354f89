import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import type { Award } from '../../shared/award'

type Row = Database['public']['Tables']['offline_submissions']['Row']
/** The number of entries on paper of one school and award. */
export type OfflineCount = Omit<Row, 'category'> & { category: Award; schools: { id: string; name: string } | null }

async function listCounts(): Promise<OfflineCount[]> {
  const supabase = await connect()
  const rows = await fetchAll((from, to) =>
    supabase
      .from('offline_submissions')
      .select('*, schools(id, name)', { count: 'exact' })
      .order('created_at', { ascending: false })
      .order('id')
      .range(from, to),
  )
  // The table's check constraint allows only the names of the awards.
  return rows as OfflineCount[]
}

/** All offline counts, newest first. */
export const offlineQuery = queryOptions({ queryKey: ['offline'], queryFn: listCounts })
