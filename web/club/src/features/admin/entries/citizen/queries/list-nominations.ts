import { queryOptions } from '@tanstack/react-query'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import { toEntry, type CitizenEntry } from '../../entry'

async function listNominations(): Promise<CitizenEntry[]> {
  const supabase = await connect()
  const rows = await fetchAll((from, to) =>
    supabase
      .from('young_citizen_nominations')
      .select('*, schools(id, name)', { count: 'exact' })
      .order('created_at', { ascending: false })
      .order('id')
      .range(from, to),
  )
  return rows.map((row) => toEntry('citizen', row))
}

/** All nominations, newest first, with their schools. */
export const nominationsQuery = queryOptions({ queryKey: ['entries', 'citizen'], queryFn: listNominations })
