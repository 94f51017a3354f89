import { useQuery } from '@tanstack/react-query'
import { fileTitle } from '@/lib/entry-file'
import { useJudgeClient } from './judge-client'
import { signedUrlQuery } from './queries/signed-url'

interface EntrySoundsProps {
  /** The recordings of the entry. */
  paths: readonly string[]
  /** Recordings that were sent later under the entrant's name. */
  later: readonly string[]
}

/** The recordings of an entry, each with a player. */
export function EntrySounds({ paths, later }: EntrySoundsProps) {
  if (paths.length + later.length === 0) return null
  return (
    <ul className="mt-1 grid gap-3">
      {paths.map((path) => (
        <Sound key={path} bucket="youth-awards-submissions" path={path} />
      ))}
      {later.map((path) => (
        <Sound key={path} bucket="music-uploads" path={path} />
      ))}
    </ul>
  )
}

function Sound({ bucket, path }: { bucket: 'youth-awards-submissions' | 'music-uploads'; path: string }) {
  const { data: url } = useQuery(signedUrlQuery(useJudgeClient(), path, bucket))
  const title = fileTitle(path)
  return (
    <li>
      <p className="text-small font-strong">{title}</p>
      {url === null ? <p className="text-small text-destructive">This recording could not be loaded.</p> : null}
      {/* Without preloading, the page of a category does not download all recordings at once. */}
      {url ? <audio controls preload="none" src={url} className="w-full" aria-label={title} /> : null}
    </li>
  )
}
