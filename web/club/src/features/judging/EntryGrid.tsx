import { useCallback, useState } from 'react'
import type { Place } from './awards'
import type { JudgedEntry } from './entry'
import { JudgingCard } from './JudgingCard'
import { PictureViewer } from './viewer/PictureViewer'

interface EntryGridProps {
  entries: readonly JudgedEntry[]
  /** Places that several entries hold. */
  shared: ReadonlySet<Place>
}

/** The cards of a category; a picture opens full screen. */
export function EntryGrid({ entries, shared }: EntryGridProps) {
  const [shown, setShown] = useState<{ entry: JudgedEntry; path: string }>()
  const open = useCallback((entry: JudgedEntry, path: string) => setShown({ entry, path }), [])
  return (
    <>
      <ul className="grid gap-7 min-[44rem]:grid-cols-2 xl:grid-cols-3">
        {entries.map((entry) => (
          <JudgingCard key={entry.id} entry={entry} isShared={entry.place !== null && shared.has(entry.place)} onOpen={open} />
        ))}
      </ul>
      {shown ? (
        <PictureViewer entry={shown.entry} path={shown.path} others={entries} onClose={() => setShown(undefined)} />
      ) : null}
    </>
  )
}
