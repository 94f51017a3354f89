import { queryOptions } from '@tanstack/react-query'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import { toEntry, type MusicianEntry } from '../../entry'

async function listMusicianEntries(): Promise<MusicianEntry[]> {
  const supabase = await connect()
  const rows = await fetchAll((from, to) =>
    supabase
      .from('young_musician_entries')
      .select('*, schools(id, name)', { count: 'exact' })
      .order('created_at', { ascending: false })
      .order('id')
      .range(from, to),
  )
  return rows.map((row) => toEntry('musician', row))
}

/** All musician entries, newest first, with their schools. */
export const musicianEntriesQuery = queryOptions({ queryKey: ['entries', 'musician'], queryFn: listMusicianEntries })
