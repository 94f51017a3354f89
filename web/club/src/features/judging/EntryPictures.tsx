import { useQuery } from '@tanstack/react-query'
import { Maximize } from 'lucide-react'
import { useState } from 'react'
import type { JudgedEntry } from './entry'
import { picturesOf } from './files-of'
import { useJudgeClient } from './judge-client'
import { signedUrlQuery } from './queries/signed-url'
import { UnshownPicture } from './UnshownPicture'

interface EntryPicturesProps {
  entry: JudgedEntry
  onOpen: (path: string) => void
}

/** The pictures of an entry, the first one large. */
export function EntryPictures({ entry, onOpen }: EntryPicturesProps) {
  const paths = picturesOf(entry)
  if (paths.length === 0) {
    return (
      <div className="bg-muted p-4.5">
        <p className="grid aspect-[4/3] place-content-center border-2 border-dashed text-muted-foreground">
          No images uploaded
        </p>
      </div>
    )
  }
  return (
    <div className="bg-muted">
      {paths.map((path, index) => (
        <Picture
          key={path}
          path={path}
          label={
            paths.length > 1 ? `Open ${entry.title}, picture ${index + 1}, full screen` : `Open ${entry.title} full screen`
          }
          onOpen={() => onOpen(path)}
        />
      ))}
    </div>
  )
}

function Picture({ path, label, onOpen }: { path: string; label: string; onOpen: () => void }) {
  const { data: url } = useQuery(signedUrlQuery(useJudgeClient(), path))
  const [broken, setBroken] = useState<string>()
  if (url === null || (url !== undefined && broken === url)) {
    return (
      <div className="p-4.5">
        <UnshownPicture path={path} url={url} className="aspect-[4/3]" />
      </div>
    )
  }
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onOpen}
      className="relative block w-full cursor-zoom-in p-4.5 focus-visible:-outline-offset-4"
    >
      <span className="block aspect-[4/3]">
        {url ? (
          <img
            src={url}
            alt=""
            loading="lazy"
            decoding="async"
            onError={() => setBroken(url)}
            className="size-full object-contain drop-shadow-[0_2px_8px_rgb(0_0_0/.22)]"
          />
        ) : null}
      </span>
      <span className="absolute right-6 bottom-6 flex items-center gap-1.5 rounded-badge bg-ink px-2 py-0.5 text-[0.9063rem] text-white">
        <Maximize aria-hidden />
        Full screen
      </span>
    </button>
  )
}
