import { queryOptions } from '@tanstack/react-query'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import { toEntry, type ArtistEntry } from '../../entry'

async function listArtistEntries(): Promise<ArtistEntry[]> {
  const supabase = await connect()
  const rows = await fetchAll((from, to) =>
    supabase
      .from('young_artist_entries')
      .select('*, schools(id, name)', { count: 'exact' })
      .order('created_at', { ascending: false })
      .order('id')
      .range(from, to),
  )
  return rows.map((row) => toEntry('artist', row))
}

/** All artist entries, newest first, with their schools. */
export const artistEntriesQuery = queryOptions({ queryKey: ['entries', 'artist'], queryFn: listArtistEntries })
