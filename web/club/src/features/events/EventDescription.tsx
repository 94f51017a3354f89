import { useId, useState } from 'react'
import type { ClubEvent } from '@/content/events'

/** Characters shown before "View more". */
const folded = 150

/** A description cut to its first characters, or whole if it is short. */
export function fold(description: string): string {
  return description.length > folded ? `${description.slice(0, folded)}...` : description
}

/** The description of an event, folding when it is long. */
export function EventDescription({ event }: { event: ClubEvent }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const long = event.description.length > folded
  return (
    <>
      <p id={id}>{open ? event.description : fold(event.description)}</p>
      {long ? (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="min-h-11 font-strong text-foreground underline underline-offset-4 hover:decoration-3"
        >
          {open ? 'View less' : 'View more'}
          <span className="sr-only"> about {event.title}</span>
        </button>
      ) : null}
    </>
  )
}
