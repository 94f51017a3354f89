import { Download, Eye } from 'lucide-react'
import { useContext } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { useDownloadAll } from '../files/queries/download-all'
import { EntryStateBadge } from '../state-mails/EntryStateBadge'
import type { Entry } from './entry'
import { Suspected } from './suspected'

interface EntryActionsProps {
  entry: Entry
  viewLabel: 'View' | 'View Details'
  onView: () => void
  canDownload: boolean
}

export function EntryActions({ entry, viewLabel, onView, canDownload }: EntryActionsProps) {
  const { download, busy } = useDownloadAll()
  const isSuspected = useContext(Suspected).has(entry.id)
  return (
    <>
      <EntryStateBadge id={entry.id} />
      {isSuspected ? <Badge className="self-center">Perhaps sent twice</Badge> : null}
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
