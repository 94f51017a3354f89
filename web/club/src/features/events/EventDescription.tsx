import { useState } from 'react'
import { when } from '@/lib/content-template'
import type { ClubEvent } from '@/lib/site-content'

/** The description of an event. If it is long, only its beginning is shown until the user opens it. */
export function EventDescription({ event }: { event: ClubEvent }) {
  const [open, setOpen] = useState(false)
  const id = `${event.slug}-description`
  return (
    <>
      <p id={id}>{open ? event.description : when(event.folded, (folded) => folded, event.description)}</p>
      {when(event.folded, () => (
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
      ))}
    </>
  )
}
