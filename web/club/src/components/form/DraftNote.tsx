import { Save } from 'lucide-react'
import { cn } from '@cloch/ui/lib/cn'

interface DraftNoteProps {
  /** Time in ISO 8601 format. If it is undefined, there is no draft and nothing is shown. */
  savedAt: string | undefined
  /** `none`: the form has no files. `kept`: the draft contains the list of files. `not kept`: the draft does not contain it. */
  files: 'none' | 'kept' | 'not kept'
  onClear: () => void
  className?: string
}

/** States that the answers are stored on this device, and when they were stored. Has a button that deletes them. */
export function DraftNote({ savedAt, files, onClear, className }: DraftNoteProps) {
  if (savedAt === undefined) return null
  return (
    <div className={cn('flex gap-3 rounded bg-[var(--award-wash,var(--secondary))] px-4 py-3.5 text-base', className)}>
      <Save aria-hidden className="mt-0.5 text-[var(--award-ink,currentColor)]" />
      <div>
        <p>
          <b>Draft kept on this device</b>, {when(new Date(savedAt))}.{filesWords[files]}
        </p>
        <button
          type="button"
          onClick={onClear}
          className="min-h-11 text-foreground underline underline-offset-4 hover:decoration-3"
        >
          Clear the draft
        </button>
      </div>
    </div>
  )
}

const filesWords = {
  none: '',
  kept: ' It lists the files that are uploaded; the files themselves are on the club’s server.',
  'not kept': ' Files are not part of the draft.',
}

/** "today at 19:42", or "on 3 October at 19:42". */
export function when(date: Date, now = new Date()): string {
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  if (date.toDateString() === now.toDateString()) return `today at ${time}`
  return `on ${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long' })} at ${time}`
}
