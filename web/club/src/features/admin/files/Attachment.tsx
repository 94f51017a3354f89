import { useQuery } from '@tanstack/react-query'
import { Download, ExternalLink } from 'lucide-react'
import { formatMoment } from '@/lib/dates'
import { fileTitle } from '@/lib/entry-file'
import { Button } from '@cloch/ui/components/button'
import { fileKind } from './bucket'
import { downloadName } from './download-name'
import { PdfPreview } from './PdfPreview'
import { Preview } from './Preview'
import { useDownloadFile } from './queries/download-file'
import { fileInfoQuery } from './queries/file-info'
import { signedUrlQuery } from './queries/signed-url'
import { formatSize } from './size'

interface AttachmentProps {
  entryName: string
  path: string
  /** Position among the entry's files, counted from 0. */
  index: number
  count: number
}

/** One file of an entry, with a preview or player, and with buttons that open and download it. */
export function Attachment({ entryName, path, index, count }: AttachmentProps) {
  const { data: url } = useQuery(signedUrlQuery(path))
  const { data: info } = useQuery(fileInfoQuery(path))
  const { mutate: download, isPending } = useDownloadFile()
  const kind = fileKind(path)
  return (
    <figure className="grid gap-3">
      <Preview kind={kind} url={url ?? undefined} title={fileTitle(path)} />
      <figcaption className="text-small [overflow-wrap:anywhere] text-muted-foreground">
        {fileTitle(path)}
        {info ? ` · ${formatSize(info.size)} · arrived ${formatMoment(info.storedAt)}` : null}
        {info === null ? ' · has not arrived' : null}
      </figcaption>
      <div className="flex flex-wrap gap-2.5">
        {url && kind === 'image' ? (
          <Button asChild size="sm" variant="outline">
            <a href={url} target="_blank" rel="noopener noreferrer">
              <ExternalLink aria-hidden />
              Open Full Size
            </a>
          </Button>
        ) : null}
        {kind === 'pdf' && info ? <PdfPreview path={path} title={fileTitle(path)} /> : null}
        <Button
          size="sm"
          variant="outline"
          disabled={isPending}
          aria-busy={isPending}
          onClick={() => download({ path, name: downloadName(entryName, path, index, count) })}
        >
          <Download aria-hidden />
          Download File {index + 1}
        </Button>
      </div>
    </figure>
  )
}
