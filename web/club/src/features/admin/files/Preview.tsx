import { useState } from 'react'
import type { FileKind } from './bucket'
import { FileViewer } from './FileViewer'

interface PreviewProps {
  kind: FileKind
  /** URL of the file; undefined until it is known. */
  url: string | undefined
  title: string
}

/** Shows a picture, or a player for music. If the browser cannot show the picture, a text replaces it. */
export function Preview({ kind, url, title }: PreviewProps) {
  const [broken, setBroken] = useState<string>()
  const [closely, setClosely] = useState(false)
  if (!url) return null
  if (kind === 'audio') return <audio controls preload="metadata" src={url} className="w-full" aria-label={title} />
  if (kind !== 'image') return null
  if (broken === url) return <p className="text-muted-foreground">This picture could not be shown</p>
  return (
    <>
      {/* A <div> with the role of a button, because buttons are not printed, but the picture must be. */}
      <div
        role="button"
        tabIndex={0}
        aria-label={`Look closely at ${title}`}
        className="cursor-zoom-in bg-muted p-4"
        onClick={() => setClosely(true)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          setClosely(true)
        }}
      >
        <img
          src={url}
          alt={title}
          loading="lazy"
          onError={() => setBroken(url)}
          className="mx-auto max-h-[70dvh] object-contain shadow-[0_2px_8px_rgb(0_0_0/.22)]"
        />
      </div>
      {closely ? <FileViewer url={url} title={title} onClose={() => setClosely(false)} /> : null}
    </>
  )
}
