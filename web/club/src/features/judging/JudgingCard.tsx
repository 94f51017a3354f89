import { memo } from 'react'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { cn } from '@cloch/ui/lib/cn'
import type { JudgedEntry } from './entry'
import { EntryPapers } from './EntryPapers'
import { EntryPictures } from './EntryPictures'
import { EntrySounds } from './EntrySounds'
import { papersOf, soundsOf } from './files-of'
import { useMarking } from './marking/marking'
import { PlaceButtons } from './PlaceButtons'
import { useNoteConflict } from './queries/note-conflict'
import { Scores } from './Scores'

interface JudgingCardProps {
  entry: JudgedEntry
  /** Whether another entry has the same place. */
  isShared: boolean
  onOpen: (entry: JudgedEntry, path: string) => void
}

/** The card of an entry: pictures, texts and buttons for places. If the entry has a place, the card has a thick border. */
export const JudgingCard = memo(function JudgingCard({ entry, isShared, onOpen }: JudgingCardProps) {
  const { mutate: note, isPending } = useNoteConflict()
  const { criteria, isFinished: isFinishedOf } = useMarking()
  const isFinished = isFinishedOf(entry)
  return (
    <li
      className={cn(
        'grid grid-rows-[auto_1fr_auto] overflow-hidden rounded border bg-card [contain-intrinsic-size:auto_34rem] [content-visibility:auto]',
        entry.place !== null && 'border-foreground shadow-[0_0_0_3px_var(--foreground)]',
      )}
    >
      {isPictureAward(entry) ? <EntryPictures entry={entry} onOpen={(path) => onOpen(entry, path)} /> : <span aria-hidden />}
      <div className="grid content-start gap-1 px-4.5 py-4 [overflow-wrap:anywhere]">
        <h3 className="text-[1.25rem] leading-tight">{entry.title}</h3>
        <p className="text-small">
          {entry.isUntitled ? null : (
            <>
              <b>{entry.entrant}</b>,{' '}
            </>
          )}
          {entry.age} · {entry.school ?? 'N/A'}
        </p>
        {entry.lines.map(({ text, quiet, label }) => (
          <p key={text} className={cn('text-small whitespace-pre-line', quiet && 'text-muted-foreground')}>
            {label ? <b>{label}: </b> : null}
            {text}
          </p>
        ))}
        <EntrySounds paths={soundsOf(entry)} later={entry.recordings ?? []} />
        <EntryPapers paths={papersOf(entry)} />
        <Scores entry={entry} criteria={criteria.filter(({ award }) => award === entry.award)} isFinished={isFinished} />
        <label className="mt-1 flex min-h-11 cursor-pointer items-center gap-3 text-small">
          <Checkbox
            checked={entry.conflict}
            aria-disabled={isPending || isFinished}
            onChange={(event) => (isPending || isFinished ? undefined : note({ entry, known: event.target.checked }))}
          />
          I know this entrant
        </label>
        {isShared ? <p className="text-small font-strong">Another entry holds this place as well.</p> : null}
      </div>
      <PlaceButtons entry={entry} />
    </li>
  )
})

const isPictureAward = ({ award }: JudgedEntry) => award === 'artist' || award === 'photographer'
