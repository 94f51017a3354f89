import { Mail } from 'lucide-react'
import { ExternalLink } from '@/components/ExternalLink'
import { MoreLink } from '@/components/MoreLink'
import { SailingBoard } from '@/components/SailingBoard'
import { SectionHead } from '@/components/SectionHead'
import { getSettings } from '@/lib/config'
import { when } from '@/lib/content-template'
import { mailto } from '@/lib/mailto'
import { getContent, type ClubEvent } from '@/lib/site-content'
import { Button } from '@cloch/ui/components/button'

export function UpcomingEvents() {
  return (
    <section className="section wrap" aria-labelledby="upcoming-events">
      <SectionHead id="upcoming-events" title="Upcoming events" action={<MoreLink to="/events">View All Events</MoreLink>} />
      <SailingBoard events={getContent().home} action={(event) => <EventAction event={event} />} />
    </section>
  )
}

function EventAction({ event }: { event: ClubEvent }) {
  const { ticketsUrl, clubEmail } = getSettings()
  const otherwise = when(
    event.isWeekly,
    () => <MoreLink to="/events#speakers">Speaker schedule</MoreLink>,
    <Button asChild variant="outline" size="sm">
      <ExternalLink href={ticketsUrl}>Get Tickets</ExternalLink>
    </Button>,
  )
  return when(
    event.rsvpSubject,
    (subject) => (
      <Button asChild variant="outline" size="sm">
        <a href={mailto(clubEmail, subject)}>
          RSVP by e-mail <Mail aria-hidden />
        </a>
      </Button>
    ),
    otherwise,
  )
}
