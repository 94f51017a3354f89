import { fileTitle, savingLink } from '@/lib/entry-file'
import { cn } from '@cloch/ui/lib/cn'

interface UnshownPictureProps {
  path: string
  /** Null if there is no link to the file either. */
  url: string | null
  className?: string
}

/** In the place of a picture that is gone, or of a format that this browser does not show: another program may open the latter. */
export function UnshownPicture({ path, url, className }: UnshownPictureProps) {
  return (
    <div
      className={cn(
        'grid content-center justify-items-center gap-1 border-2 border-dashed p-4 text-center [overflow-wrap:anywhere] text-muted-foreground',
        className,
      )}
    >
      <p>This picture could not be shown</p>
      {url ? (
        <a href={savingLink(url, path)} className="inline-flex min-h-11 items-center">
          Download {fileTitle(path)}
        </a>
      ) : null}
    </div>
  )
}
