import { queryOptions } from '@tanstack/react-query'
import type { Supabase } from '@/lib/supabase'

const entryBucket = 'youth-awards-submissions'
/** Lifetime of a link to a file in seconds. */
const linkSeconds = 3600
/** Maximum number of URLs in one request. */
const most = 200

interface Wanted {
  bucket: string
  path: string
  done: (url: string | null) => void
}

/**
 * The URLs that wait for the next request. Requests of the same moment are combined into one, so that a page with many pictures does not need one
 * request for each picture.
 */
const waiting = new Map<Supabase, Wanted[]>()

function signUrl(supabase: Supabase, bucket: string, path: string): Promise<string | null> {
  return new Promise((done) => {
    const queue = waiting.get(supabase)
    if (queue) queue.push({ bucket, path, done })
    else {
      waiting.set(supabase, [{ bucket, path, done }])
      window.setTimeout(() => {
        const all = waiting.get(supabase) ?? []
        waiting.delete(supabase)
        for (const bucket of new Set(all.map((each) => each.bucket))) {
          const inBucket = all.filter((each) => each.bucket === bucket)
          for (let from = 0; from < inBucket.length; from += most)
            void signAll(supabase, bucket, inBucket.slice(from, from + most))
        }
      })
    }
  })
}

async function signAll(supabase: Supabase, bucket: string, wanted: Wanted[]) {
  const paths = wanted.map(({ path }) => path)
  const { data, error } = await supabase.storage.from(bucket).createSignedUrls(paths, linkSeconds)
  const urls = new Map(data?.map((link) => [link.path, link.error === null ? link.signedUrl : null]))
  const failed = paths.filter((path) => !urls.get(path)).length
  // The paths contain names of entrants. Therefore they are not logged.
  if (failed > 0)
    console.error(`Links to ${failed} of ${paths.length} files could not be made.`, ...(error ? [error.message] : []))
  for (const { path, done } of wanted) done(urls.get(path) ?? null)
}

/** A signed URL of a file; null if it cannot be created. */
export function signedUrlQuery(supabase: Supabase, path: string, bucket = entryBucket) {
  return queryOptions({
    queryKey: ['judging-url', bucket, path],
    queryFn: () => signUrl(supabase, bucket, path),
    staleTime: (linkSeconds - 300) * 1000,
    gcTime: (linkSeconds - 300) * 1000,
  })
}
