import { useQuery } from '@tanstack/react-query'
import { formatMoment } from '@/lib/dates'
import type { Award } from '../shared/award'
import { LoadFailed } from '../shared/LoadFailed'
import { belongsTo } from './extra-files'
import { FileLinks } from './FileLinks'
import { extraFilesQuery } from './queries/list-extra-files'

/** Files that were sent separately, after the entry, under the entry's name. */
export function EntryExtraFiles({ entry }: { entry: { award: Award; name: string } }) {
  const { data, isError, refetch } = useQuery(extraFilesQuery)
  if (isError) return <LoadFailed onRetry={() => void refetch()}>Failed to load additional files</LoadFailed>
  const found = data?.filter((files) => belongsTo(files, entry)) ?? []
  if (found.length === 0) return null
  return (
    <div className="grid gap-4 border-t pt-4">
      <h4 className="font-strong">Sent later under this name</h4>
      {found.map((files) => (
        <div key={files.id} className="grid gap-2">
          <p className="text-small text-muted-foreground">
            {files.kind === 'music' ? 'Recordings' : 'Additional files'} · {formatMoment(files.createdAt)}
            {files.organisation ? ` · ${files.organisation}` : ''}
          </p>
          {files.information ? <p className="whitespace-pre-line">{files.information}</p> : null}
          <FileLinks files={files} />
        </div>
      ))}
    </div>
  )
}
