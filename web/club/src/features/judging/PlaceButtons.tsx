import { Check } from 'lucide-react'
import { cn } from '@cloch/ui/lib/cn'
import { placeNames, places } from './awards'
import type { JudgedEntry } from './entry'
import { useRankEntry } from './queries/rank-entry'

/** Buttons for the three places. The current place is filled and ticked; a second click removes it. */
export function PlaceButtons({ entry, className }: { entry: JudgedEntry; className?: string }) {
  const { choose, isSaving, isFinished } = useRankEntry(entry)
  return (
    <div
      role="group"
      aria-label={`Place for ${entry.isUntitled ? entry.title : `${entry.title} by ${entry.entrant}`}`}
      className={cn('grid grid-cols-3 border-t', className)}
    >
      {places.map((place) => (
        <button
          key={place}
          type="button"
          aria-pressed={entry.place === place}
          // `disabled` is not used, because then keyboard users would lose the focus.
          aria-disabled={isSaving || isFinished}
          onClick={() => choose(place)}
          className="flex min-h-14 items-center justify-center gap-1.5 border-l font-semibold first:border-l-0 hover:bg-accent focus-visible:-outline-offset-4 aria-disabled:opacity-65 aria-pressed:bg-foreground aria-pressed:font-bold aria-pressed:text-background"
        >
          {entry.place === place ? <Check aria-hidden /> : null}
          {placeNames[place]}
        </button>
      ))}
    </div>
  )
}
