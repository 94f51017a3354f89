import { queryOptions } from '@tanstack/react-query'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import { toEntry, type PhotographerEntry } from '../../entry'

async function listPhotographerEntries(): Promise<PhotographerEntry[]> {
  const supabase = await connect()
  const rows = await fetchAll((from, to) =>
    supabase
      .from('young_photographer_entries')
      .select('*, schools(id, name)', { count: 'exact' })
      .order('created_at', { ascending: false })
      .order('id')
      .range(from, to),
  )
  return rows.map((row) => toEntry('photographer', row))
}

/** All photographer entries, newest first, with their schools. */
export const photographerEntriesQuery = queryOptions({
  queryKey: ['entries', 'photographer'],
  queryFn: listPhotographerEntries,
})
