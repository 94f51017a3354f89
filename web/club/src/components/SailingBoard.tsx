import { Clock, MapPin } from 'lucide-react'
import type { ReactNode } from 'react'
import { each, when } from '@/lib/content-template'
import type { ClubEvent } from '@/lib/site-content'
import { Badge } from '@cloch/ui/components/badge'

interface SailingBoardProps {
  events: ClubEvent[]
  /** Content below an event's title; by default its description. */
  describe?: (event: ClubEvent) => ReactNode
  /** Action for an event: tickets, a reply, a link to details. */
  action: (event: ClubEvent) => ReactNode
}

/** Events as a timetable: the date in large type, the event, and an action. */
export function SailingBoard({ events, describe = (event) => <p>{event.description}</p>, action }: SailingBoardProps) {
  return (
    <ol className="band @container">
      {each(events, (event) => (
        <li
          id={event.slug}
          className="grid scroll-mt-6 grid-cols-[5.1rem_1fr] items-start gap-x-3 gap-y-1 border-b py-6 sm:grid-cols-[7.5rem_1fr] sm:gap-x-4 desk:grid-cols-[10rem_1fr_auto] desk:gap-8 desk:py-7 @max-[16rem]:grid-cols-1"
        >
          <p className="font-display leading-none font-extrabold">
            <span className="block text-[clamp(2.125rem,1.5rem+2.6vw,3.75rem)] tracking-[-0.03em]">{event.boardLarge}</span>
            <span className="text-small font-semibold sm:text-[1.0625rem]">{event.boardSmall}</span>
          </p>
          <div>
            <h3 className="text-h3">{event.title}</h3>
            {when(event.isPast, () => (
              <p className="my-1.5">
                <Badge>Past</Badge>
              </p>
            ))}
            <div className="mt-1 max-w-[36em] text-muted-foreground">{describe(event)}</div>
            <p className="mt-2 flex flex-wrap gap-x-5 gap-y-0.5 text-[0.9688rem]">
              <span className="inline-flex items-center gap-1.5">
                <Clock aria-hidden className="size-[1.1em]" /> {event.time}
              </span>
              <span className="inline-flex items-center gap-1.5">
                <MapPin aria-hidden className="size-[1.1em]" /> {event.location}
              </span>
            </p>
          </div>
          <div className="col-start-2 mt-2 @max-[16rem]:col-start-1 desk:col-start-3 desk:mt-0 desk:self-center">
            {action(event)}
          </div>
        </li>
      ))}
    </ol>
  )
}
