import { Mail } from 'lucide-react'
import { ExternalLink } from '@/components/ExternalLink'
import { MoreLink } from '@/components/MoreLink'
import { SailingBoard } from '@/components/SailingBoard'
import { SectionHead } from '@/components/SectionHead'
import { events, upcoming, type ClubEvent } from '@/content/events'
import { getSettings } from '@/lib/config'
import { mailto } from '@/lib/mailto'
import { Button } from '@cloch/ui/components/button'

const announced = upcoming.flatMap((slug) => events.find((event) => event.slug === slug) ?? [])

export function UpcomingEvents() {
  return (
    <section className="section wrap" aria-labelledby="upcoming-events">
      <SectionHead id="upcoming-events" title="Upcoming events" action={<MoreLink to="/events">View All Events</MoreLink>} />
      <SailingBoard events={announced} action={(event) => <EventAction event={event} />} />
    </section>
  )
}

function EventAction({ event }: { event: ClubEvent }) {
  const { ticketsUrl, clubEmail } = getSettings()
  if (event.rsvpSubject !== undefined) {
    return (
      <Button asChild variant="outline" size="sm">
        <a href={mailto(clubEmail, event.rsvpSubject)}>
          RSVP by e-mail <Mail aria-hidden />
        </a>
      </Button>
    )
  }
  if (event.type === 'Weekly') return <MoreLink to="/events#speakers">Speaker schedule</MoreLink>
  return (
    <Button asChild variant="outline" size="sm">
      <ExternalLink href={ticketsUrl}>Get Tickets</ExternalLink>
    </Button>
  )
}
