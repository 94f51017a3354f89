import { useQuery } from '@tanstack/react-query'
import { fileTitle } from '@/lib/entry-file'
import { useJudgeClient } from './judge-client'
import { signedUrlQuery } from './queries/signed-url'

/** The names of an entry's files that are not pictures. */
export function EntryPapers({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return null
  return (
    <div className="mt-1">
      <p className="text-small font-strong">Other files</p>
      <ul>
        {paths.map((path) => (
          <li key={path}>
            <Paper path={path} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Paper({ path }: { path: string }) {
  const { data: url } = useQuery(signedUrlQuery(useJudgeClient(), path))
  const title = fileTitle(path)
  if (!url) return <span className="flex min-h-11 items-center text-small">{title}</span>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="flex min-h-11 items-center text-small">
      {title}
    </a>
  )
}
