import { fileTitle, savingLink } from '@/lib/entry-file'
import { cn } from '@cloch/ui/lib/cn'

interface UnshownPictureProps {
  path: string
  /** URL of the file; null if there is none. */
  url: string | null
  className?: string
}

/**
 * Shown in place of a picture that is missing, or whose format this browser cannot show. If only the format is the problem, the user can download the
 * picture and open it with another program.
 */
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
