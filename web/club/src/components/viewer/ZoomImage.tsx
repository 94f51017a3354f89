interface ZoomImageProps {
  url: string | undefined
  alt: string
  scale: number
  /** Called when the browser cannot show the picture. */
  onError?: () => void
}

/** A picture that fits into its container. If it is enlarged, it can be scrolled by touch, wheel or arrow keys. */
export function ZoomImage({ url, alt, scale, onError }: ZoomImageProps) {
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={alt}
      className="min-h-0 min-w-0 flex-1 overflow-auto focus-visible:-outline-offset-4"
    >
      <div className="grid size-full place-items-center" style={{ width: `${scale * 100}%`, height: `${scale * 100}%` }}>
        {url ? <img src={url} alt={alt} className="size-full object-contain" onError={onError} /> : null}
      </div>
    </div>
  )
}
