import { connect } from '@/lib/supabase'

/** Number of files deleted with one request. */
const batchSize = 100

/**
 * Deletes stored files in batches.
 * @param onProgress called with the number of deleted files and the total number
 * @throws the first error that storage returned; the files of earlier batches have already been deleted
 */
export async function removeFiles(
  files: readonly { bucket_id: string; name: string }[],
  onProgress?: (removed: number, of: number) => void,
) {
  const supabase = await connect()
  let removed = 0
  for (const bucket of new Set(files.map(({ bucket_id }) => bucket_id))) {
    const names = files.filter(({ bucket_id }) => bucket_id === bucket).map(({ name }) => name)
    for (let from = 0; from < names.length; from += batchSize) {
      onProgress?.(removed, files.length)
      const batch = names.slice(from, from + batchSize)
      const { error } = await supabase.storage.from(bucket).remove(batch)
      if (error) throw error
      removed += batch.length
    }
  }
  onProgress?.(removed, files.length)
}
