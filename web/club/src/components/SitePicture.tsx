import { pictureBucket, useSitePicture, type PictureSource } from '@/lib/site-picture'
import { cn } from '@cloch/ui/lib/cn'

interface SitePictureProps extends Partial<PictureSource> {
  path: string
  alt: string
  className?: string
}

/** Width in pixels of the widest picture, for a screen with two device pixels per CSS pixel. */
const widest = 1200

/** A picture of the website, not cropped. Its space is reserved before it has loaded. */
export function SitePicture({ path, alt, bucket = pictureBucket, width = widest, asAdmin, className }: SitePictureProps) {
  const src = useSitePicture({ bucket, path, width, asAdmin: asAdmin ?? isPreview() })
  return (
    <div className={cn('aspect-3/2 w-full bg-muted p-4 text-foreground', className)}>
      <img src={src} alt={alt} className="size-full object-contain" />
    </div>
  )
}

/** Whether the page shows unpublished content (see showDraft). */
function isPreview(): boolean {
  return typeof document !== 'undefined' && document.documentElement.dataset.preview !== undefined
}
