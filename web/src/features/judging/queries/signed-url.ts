import { queryOptions } from '@tanstack/react-query'
import type { Supabase } from '@/lib/supabase'

const bucket = 'youth-awards-submissions'
/** Seconds for which the link to a picture works. */
const linkSeconds = 3600

async function signUrl(supabase: Supabase, path: string): Promise<string | null> {
  const { data, error } = await supabase.storage.from(bucket).createSignedUrl(path, linkSeconds)
  if (!error) return data.signedUrl
  // The path names an entrant, so it stays out of the log.
  console.error('A link to a picture could not be made:', error.message)
  return null
}

/** A link to a picture; null if there can be none. */
export function signedUrlQuery(supabase: Supabase, path: string) {
  return queryOptions({
    queryKey: ['judging-url', path],
    queryFn: () => signUrl(supabase, path),
    staleTime: (linkSeconds - 300) * 1000,
    gcTime: (linkSeconds - 300) * 1000,
  })
}
