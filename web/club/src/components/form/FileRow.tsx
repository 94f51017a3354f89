import { CircleAlert, FileText, Image as ImageIcon, Music, RotateCw, X } from 'lucide-react'
import { useCallback } from 'react'
import { isSound } from '@/lib/entry-file'
import type { UploadItem } from '@/lib/upload/queue'
import { formatSize } from '@/lib/upload/rules'
import { Button } from '@cloch/ui/components/button'
import { Progress } from '@cloch/ui/components/progress'
import { cn } from '@cloch/ui/lib/cn'

interface FileRowProps {
  item: UploadItem
  onRetry: (() => void) | undefined
  onRemove: () => void
}

/** One file of an upload: name, state, progress, and a button that removes it from the list. */
export function FileRow({ item, onRetry, onRemove }: FileRowProps) {
  const onItsWay = item.state === 'uploading' || item.state === 'paused'
  return (
    <li className="relative grid grid-cols-[auto_1fr_auto] items-center gap-x-3.5 border-t py-3 pr-2 pl-4 first:border-t-0">
      <FileIcon item={item} />
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{item.name}</p>
        <p className="text-small text-muted-foreground">
          {item.state === 'refused' ? null : `${formatSize(item.size)} · `}
          <StateWords item={item} />
        </p>
        {/* Positioned absolutely, so that the content below does not move when the bar appears or disappears. */}
        {onItsWay && item.share !== undefined ? (
          <Progress share={item.share} label={item.name} className="absolute inset-x-0 bottom-0" />
        ) : null}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        {item.state === 'failed' && item.file && onRetry ? (
          <Button variant="outline" size="sm" aria-label={`Try ${item.name} again`} onClick={onRetry}>
            <RotateCw aria-hidden />
            Try again
          </Button>
        ) : null}
        {item.state === 'refused' ? (
          <Button variant="outline" size="sm" aria-label={`Remove ${item.name}`} onClick={onRemove}>
            <X aria-hidden />
            Remove
          </Button>
        ) : (
          <Button variant="ghost" size="icon" aria-label={`${removal(item)} ${item.name}`} onClick={onRemove}>
            <X aria-hidden />
          </Button>
        )}
      </div>
    </li>
  )
}

function removal({ state }: UploadItem): string {
  return state === 'uploading' || state === 'paused' ? 'Cancel' : 'Remove'
}

function StateWords({ item }: { item: UploadItem }) {
  const percent = item.share === undefined ? '' : `, ${Math.round(item.share * 100)}%`
  switch (item.state) {
    case 'chosen':
      return 'Ready to upload'
    case 'uploading':
      return `Uploading${percent}`
    case 'paused':
      return 'Paused: waiting for the network'
    case 'uploaded':
      return <span className="font-semibold text-success">Uploaded</span>
    case 'failed':
    case 'refused':
      return <span className="font-semibold text-destructive">{item.reason}</span>
  }
}

function FileIcon({ item }: { item: UploadItem }) {
  if (item.file?.type.startsWith('image/')) return <Preview file={item.file} />
  const wrong = item.state === 'refused' || item.state === 'failed'
  const className = cn('mx-2', wrong && 'text-destructive', item.state === 'uploaded' && 'text-success')
  if (wrong) return <CircleAlert aria-hidden className={className} />
  if (isSound(item.name)) return <Music aria-hidden className={className} />
  if (pictureName.test(item.name)) return <ImageIcon aria-hidden className={className} />
  return <FileText aria-hidden className={className} />
}

const pictureName = /\.(jpe?g|png|gif|webp|heic|avif|tiff?)$/i

/** A preview of a picture that was chosen on this device. */
function Preview({ file }: { file: File }) {
  const show = useCallback(
    (image: HTMLImageElement | null) => {
      if (!image) return
      const url = URL.createObjectURL(file)
      image.src = url
      return () => URL.revokeObjectURL(url)
    },
    [file],
  )
  return <img ref={show} alt="" className="size-11 rounded bg-muted object-cover" />
}
