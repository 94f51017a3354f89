import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { bucket } from '../bucket'

export interface FileInfo {
  /** Bytes. */
  size: number
  /** When it was complete; the moment as ISO text. */
  storedAt: string
}

/** @throws when the request to storage fails */
async function readInfo(path: string): Promise<FileInfo | null> {
  const supabase = await connect()
  const { data, error } = await supabase.storage.from(bucket).info(path)
  if (!error) return { size: data.size ?? 0, storedAt: data.createdAt }
  // Absent objects answer 400 with the real status as text in the body.
  if ('statusCode' in error && String(error.statusCode) === '404') return null
  throw error
}

/** What the store knows of a file; null if it is not there: its upload never came to an end, or it was deleted. */
export function fileInfoQuery(path: string) {
  return queryOptions({ queryKey: ['file-info', path], queryFn: () => readInfo(path) })
}
