import { queryOptions } from '@tanstack/react-query'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import { fromRecordings, fromRow, type ExtraFiles } from '../extra-files'

async function listExtraFiles(): Promise<ExtraFiles[]> {
  const supabase = await connect()
  const [rows, recordings] = await Promise.all([
    fetchAll((from, to) =>
      supabase
        .from('extra_files')
        .select('*', { count: 'exact' })
        .order('created_at', { ascending: false })
        .order('id')
        .range(from, to),
    ),
    supabase.rpc('unlisted_recordings'),
  ])
  if (recordings.error) throw recordings.error
  return [...rows.map(fromRow), ...fromRecordings(recordings.data)]
}

/** Additional files and recordings, newest first. Recordings without a database row are last. */
export const extraFilesQuery = queryOptions({ queryKey: ['extra-files'], queryFn: listExtraFiles })
