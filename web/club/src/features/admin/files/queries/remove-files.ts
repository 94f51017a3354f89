import { connect } from '@/lib/supabase'

/** Files removed with one request. */
const batchSize = 100

/**
 * Removes stored files, in batches.
 *
 * @param onProgress is told how many of how many are gone
 * @throws what the storage answers first; what was removed by then is gone
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
