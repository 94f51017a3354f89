import { Download, Eye } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { useDownloadAll } from '../files/queries/download-all'
import type { Entry } from './entry'

interface EntryActionsProps {
  entry: Entry
  viewLabel: 'View' | 'View Details'
  onView: () => void
  canDownload: boolean
}

export function EntryActions({ entry, viewLabel, onView, canDownload }: EntryActionsProps) {
  const { download, busy } = useDownloadAll()
  return (
    <>
      <Button size="sm" variant="outline" onClick={onView} aria-label={`${viewLabel}: ${entry.name}`}>
        <Eye aria-hidden />
        {viewLabel}
      </Button>
      {canDownload ? (
        <Button
          size="sm"
          variant="ghost"
          disabled={busy}
          aria-busy={busy}
          aria-label={`Download the files of ${entry.name}`}
          onClick={() => download(entry)}
        >
          <Download aria-hidden />
          Download
        </Button>
      ) : null}
    </>
  )
}
