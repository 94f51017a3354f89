import { ChevronLeft, ChevronRight, Columns2 } from 'lucide-react'
import { useState } from 'react'
import { useZoom } from '@/components/viewer/use-zoom'
import { ViewerFrame } from '@/components/viewer/ViewerFrame'
import { ZoomButtons } from '@/components/viewer/ZoomButtons'
import { Button } from '@cloch/ui/components/button'
import type { JudgedEntry } from '../entry'
import { picturesOf } from '../files-of'
import { usePictureKeys } from './use-picture-keys'
import { ViewerPane } from './ViewerPane'

interface PictureViewerProps {
  entry: JudgedEntry
  path: string
  /** All entries of the category, for browsing and comparison. */
  others: readonly JudgedEntry[]
  onClose: () => void
}

interface Shot {
  id: string
  path: string
}

/** Full-screen viewer for one picture or two side by side, with zoom and places. */
export function PictureViewer({ entry, path, others, onClose }: PictureViewerProps) {
  const shots: Shot[] = others.flatMap((other) => picturesOf(other).map((file) => ({ id: other.id, path: file })))
  const [index, setIndex] = useState(() =>
    Math.max(
      0,
      shots.findIndex((shot) => shot.path === path),
    ),
  )
  const [beside, setBeside] = useState<number>()
  const zoom = useZoom()
  // While the viewer is open, the list may be updated. Therefore the current entry, with its current place, is taken from the list.
  const entryOf = (shot: Shot | undefined) => others.find(({ id }) => id === shot?.id) ?? entry
  const step = (by: number) => setIndex((current) => (current + by + shots.length) % shots.length)
  const compare = () => setBeside((current) => (current === undefined ? (index + 1) % shots.length : undefined))
  usePictureKeys({ entry: entryOf(shots[index]), onStep: step })

  const shot = shots[index]
  const other = beside === undefined ? undefined : shots[beside]
  if (!shot) return null
  return (
    <ViewerFrame
      title={`${entryOf(shot).title} · ${index + 1} of ${shots.length}`}
      onClose={onClose}
      tools={
        <>
          <ZoomButtons zoom={zoom} />
          {shots.length > 1 ? (
            <Button size="sm" variant="ghost" aria-pressed={other !== undefined} onClick={compare}>
              <Columns2 aria-hidden />
              Side by side
            </Button>
          ) : null}
          <div className="flex gap-1">
            <Button size="icon" variant="ghost" aria-label="Previous picture" onClick={() => step(-1)}>
              <ChevronLeft aria-hidden />
            </Button>
            <Button size="icon" variant="ghost" aria-label="Next picture" onClick={() => step(1)}>
              <ChevronRight aria-hidden />
            </Button>
          </div>
        </>
      }
    >
      <ViewerPane entry={entryOf(shot)} path={shot.path} scale={zoom.scale} side={other && 'Left'} />
      {other ? (
        <ViewerPane
          entry={entryOf(other)}
          path={other.path}
          scale={zoom.scale}
          side="Right"
          onNext={() => setBeside((current) => ((current ?? 0) + 1) % shots.length)}
        />
      ) : null}
    </ViewerFrame>
  )
}
