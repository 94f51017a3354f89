import { Download } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { useDownloadAll } from '../../files/queries/download-all'
import type { Entry } from '../entry'

/** Saves every file of the entry. */
export function DownloadAll({ entry }: { entry: Entry }) {
  const { download, busy } = useDownloadAll()
  return (
    <Button size="sm" disabled={busy} aria-busy={busy} onClick={() => download(entry)}>
      <Download aria-hidden />
      {busy ? 'Downloading...' : 'Download all'}
    </Button>
  )
}
