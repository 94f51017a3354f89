import { useQueries } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { fileInfoQuery } from './queries/file-info'

/** Shows whether all files of an entry have been uploaded. */
export function UploadStatus({ files }: { files: string[] }) {
  const infos = useQueries({ queries: files.map(fileInfoQuery) })
  if (files.length === 0) return <p className="text-muted-foreground">This entry has no uploaded files</p>
  if (infos.some(({ isError }) => isError)) return <p role="status">Whether the files have arrived could not be found out.</p>
  if (infos.some(({ data }) => data === undefined)) return <p role="status">Checking the files...</p>
  const arrived = infos.filter(({ data }) => data !== null).length
  const Icon = arrived === files.length ? CircleCheck : CircleAlert
  return (
    <p role="status" className="flex gap-2 font-strong">
      <Icon aria-hidden className="mt-0.5" />
      {arrived === files.length
        ? files.length === 1
          ? 'The file has arrived.'
          : `All ${files.length} files have arrived.`
        : `${arrived} of ${files.length} files have arrived: ask the entrant for the rest.`}
    </p>
  )
}
