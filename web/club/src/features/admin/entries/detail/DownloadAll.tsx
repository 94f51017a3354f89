import { Download, FolderArchive } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { useDownloadAll } from '../../files/queries/download-all'
import { useDownloadZip } from '../../files/queries/download-zip'
import type { Entry } from '../entry'

/** Downloads all files of the entry: in one archive, or one after another. */
export function DownloadAll({ entry }: { entry: Entry }) {
  const zip = useDownloadZip()
  const files = useDownloadAll()
  return (
    <>
      <Button size="sm" disabled={zip.busy} aria-busy={zip.busy} onClick={() => zip.download(entry)}>
        <FolderArchive aria-hidden />
        {zip.busy ? 'Downloading...' : 'Download all'}
      </Button>
      {entry.files.length > 1 ? (
        <Button size="sm" variant="outline" disabled={files.busy} aria-busy={files.busy} onClick={() => files.download(entry)}>
          <Download aria-hidden />
          {files.busy ? 'Downloading...' : 'Download one by one'}
        </Button>
      ) : null}
    </>
  )
}
