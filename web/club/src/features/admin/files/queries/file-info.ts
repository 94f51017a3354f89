import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { bucket } from '../bucket'

export interface FileInfo {
  /** Bytes. */
  size: number
  /** Time at which the upload was complete (ISO 8601). */
  storedAt: string
}

/** @throws when the request to storage fails */
async function readInfo(path: string): Promise<FileInfo | null> {
  const supabase = await connect()
  const { data, error } = await supabase.storage.from(bucket).info(path)
  if (!error) return { size: data.size ?? 0, storedAt: data.createdAt }
  // For a missing object, storage responds with HTTP status 400; the response's body contains the status 404.
  if ('statusCode' in error && String(error.statusCode) === '404') return null
  throw error
}

/** The storage metadata of a file. Null if the file does not exist, because its upload was never completed or it was deleted. */
export function fileInfoQuery(path: string) {
  return queryOptions({ queryKey: ['file-info', path], queryFn: () => readInfo(path) })
}
