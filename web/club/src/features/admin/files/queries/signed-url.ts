import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { bucket, linkSeconds } from '../bucket'

async function signUrl(path: string): Promise<string | null> {
  const supabase = await connect()
  const { data, error } = await supabase.storage.from(bucket).createSignedUrl(path, linkSeconds)
  if (!error) return data.signedUrl
  // The path contains the name of an entrant. Therefore it is not logged.
  console.error('A link to a file could not be made:', error.message)
  return null
}

/** A signed URL of a file; null if it cannot be created. It is renewed shortly before it expires. */
export function signedUrlQuery(path: string) {
  return queryOptions({
    queryKey: ['signed-url', path],
    queryFn: () => signUrl(path),
    staleTime: (linkSeconds - 300) * 1000,
    gcTime: (linkSeconds - 300) * 1000,
  })
}
