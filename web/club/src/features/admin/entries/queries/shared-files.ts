import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import type { SharedFiles } from '../duplicates'

async function listSharedFiles(): Promise<SharedFiles> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('duplicate_hints').eq('kind', 'file')
  if (error) throw error
  return data.map(({ entries }) => entries)
}

/** Groups of entries that contain the same file. Files are compared by content. */
export const sharedFilesQuery = queryOptions({ queryKey: ['shared-files'], queryFn: listSharedFiles })
