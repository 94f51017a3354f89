import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { ZoomImage } from '@/components/viewer/ZoomImage'
import { Button } from '@cloch/ui/components/button'
import type { JudgedEntry } from '../entry'
import { useJudgeClient } from '../judge-client'
import { PlaceButtons } from '../PlaceButtons'
import { signedUrlQuery } from '../queries/signed-url'
import { UnshownPicture } from '../UnshownPicture'

interface ViewerPaneProps {
  entry: JudgedEntry
  path: string
  scale: number
  /** Position of this pane if there are two; undefined if there is only one. */
  side?: 'Left' | 'Right' | undefined
  /** Shows the next picture in this pane. */
  onNext?: () => void
}

/** A picture with the buttons for its place. */
export function ViewerPane({ entry, path, scale, side, onNext }: ViewerPaneProps) {
  const { data: url } = useQuery(signedUrlQuery(useJudgeClient(), path))
  const [broken, setBroken] = useState<string>()
  return (
    <section
      aria-label={side ? `${side}: ${entry.title}` : entry.title}
      className="flex min-w-0 flex-1 flex-col not-first:border-l"
    >
      {url === null || (url !== undefined && broken === url) ? (
        <UnshownPicture path={path} url={url} className="m-4 min-h-0 flex-1" />
      ) : (
        <ZoomImage url={url} alt={`${entry.title} by ${entry.entrant}`} scale={scale} onError={() => setBroken(url)} />
      )}
      <div className="bg-card">
        <p className="flex items-center justify-between gap-3 min-h-15 border-t px-4 py-2 text-small">
          <span>
            <b>{entry.entrant}</b>, {entry.age} · {entry.school ?? 'N/A'}
          </span>
          {onNext ? (
            <Button size="icon" variant="ghost" aria-label="Next picture on this side" onClick={onNext}>
              <ChevronRight aria-hidden />
            </Button>
          ) : null}
        </p>
        <PlaceButtons entry={entry} />
      </div>
    </section>
  )
}
