import { useQuery } from '@tanstack/react-query'
import { formatMoment } from '@/lib/dates'
import { allEntries, type Submissions } from '../entries/submissions'
import { awardNames } from '../shared/award'
import { isOf, useShownSeason } from '../seasons/season-view'
import { LoadFailed } from '../shared/LoadFailed'
import { useDashboardAddress } from '../shared/use-dashboard-address'
import { belongsTo, type ExtraFiles } from '../extra-files/extra-files'
import { FileLinks } from '../extra-files/FileLinks'
import { extraFilesQuery } from '../extra-files/queries/list-extra-files'

/** All files that were sent after an entry, or without an entry. Each row shows the entries that match by name. */
export function ExtraFilesList({ submissions }: { submissions: Submissions }) {
  const { data, isError, refetch } = useQuery(extraFilesQuery)
  const shown = useShownSeason()
  if (isError) return <LoadFailed onRetry={() => void refetch()}>Failed to load additional files</LoadFailed>
  const sent = data?.filter(({ createdAt }) => isOf(shown, createdAt)) ?? []
  if (sent.length === 0) return null
  return (
    <section aria-labelledby="extra-files" className="mt-12">
      <h2 id="extra-files" className="mb-3 text-[1.375rem] leading-tight">
        Additional files and recordings
      </h2>
      <ul className="border-t-3 border-foreground">
        {sent.map((files) => (
          <li key={files.id} className="grid gap-2 border-b py-4">
            <h3 className="font-sans text-[1.0625rem] leading-snug font-bold tracking-normal">{files.name}</h3>
            <p className="text-muted-foreground">
              {files.kind === 'music' ? 'Recordings' : 'Additional files'} · {formatMoment(files.createdAt)}
              {files.organisation ? ` · ${files.organisation}` : ''}
            </p>
            {files.information ? <p className="whitespace-pre-line">{files.information}</p> : null}
            <FittingEntries files={files} submissions={submissions} />
            <FileLinks files={files} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function FittingEntries({ files, submissions }: { files: ExtraFiles; submissions: Submissions }) {
  const { setValues } = useDashboardAddress()
  const fitting = allEntries(submissions).filter((entry) => belongsTo(files, entry))
  if (fitting.length === 0) return <p className="font-strong">No entry has this name.</p>
  return (
    <p className="flex flex-wrap gap-x-4">
      {fitting.map(({ id, award, name }) => (
        <button
          key={id}
          type="button"
          className="min-h-11 text-primary underline underline-offset-4 hover:decoration-3"
          onClick={() => setValues({ tab: award, entry: id }, { push: true })}
        >
          {awardNames[award].label}: {name}
        </button>
      ))}
    </p>
  )
}
