import { useCallback, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import type { Place } from './awards'
import type { JudgedEntry } from './entry'
import { JudgingCard } from './JudgingCard'
import { useGrowingCount } from './use-growing-count'
import { PictureViewer } from './viewer/PictureViewer'

interface EntryGridProps {
  entries: readonly JudgedEntry[]
  /** Places that more than one entry has. */
  shared: ReadonlySet<Place>
}

/** The cards of a category. A click on a picture opens the picture in full screen. */
export function EntryGrid({ entries, shared }: EntryGridProps) {
  const [opened, setOpened] = useState<{ entry: JudgedEntry; path: string }>()
  const open = useCallback((entry: JudgedEntry, path: string) => setOpened({ entry, path }), [])
  const { shown, grow, end } = useGrowingCount(entries.length)
  return (
    <>
      <ul className="grid gap-7 min-[44rem]:grid-cols-2 xl:grid-cols-3">
        {entries.slice(0, shown).map((entry) => (
          <JudgingCard key={entry.id} entry={entry} isShared={entry.place !== null && shared.has(entry.place)} onOpen={open} />
        ))}
      </ul>
      {shown < entries.length ? (
        // With the count as key, a new element is created after each step. This is needed because an element that stays visible would not be reported
        // again by the IntersectionObserver.
        <p key={shown} ref={end} className="mt-7 flex flex-wrap items-center gap-4">
          {shown} of {entries.length} entries are shown.
          <Button size="sm" variant="outline" onClick={grow}>
            Show more
          </Button>
        </p>
      ) : null}
      {opened ? (
        <PictureViewer entry={opened.entry} path={opened.path} others={entries} onClose={() => setOpened(undefined)} />
      ) : null}
    </>
  )
}
