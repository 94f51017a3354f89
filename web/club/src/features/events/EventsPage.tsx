import { Mail } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { Panorama } from '@/components/Panorama'
import { SailingBoard } from '@/components/SailingBoard'
import { SectionHead } from '@/components/SectionHead'
import { events, type ClubEvent } from '@/content/events'
import { getSettings } from '@/lib/config'
import { mailto } from '@/lib/mailto'
import { usePage } from '@/lib/use-page'
import { Button } from '@cloch/ui/components/button'
import { EventDescription } from './EventDescription'
import { FeaturedEvent } from './FeaturedEvent'
import { SpeakerSchedule } from './SpeakerSchedule'

const loadDialog = () => import('./EventDialog')
const EventDialog = lazy(loadDialog)

export function Component() {
  const [shown, setShown] = useState<ClubEvent>()
  usePage({
    title: 'Events',
    description:
      'Youth Awards on 13th November, guest speakers every Thursday, the Chartered Rotary Dinner, and a cruise to celebrate.',
    path: '/events',
  })
  const featured = events.find((event) => event.featured)
  return (
    <>
      {featured ? <FeaturedEvent event={featured} /> : null}
      <section className="section wrap" aria-labelledby="all-events">
        <SectionHead id="all-events" title="All events" />
        <SailingBoard
          events={events}
          describe={(event) => <EventDescription event={event} />}
          action={(event) => <EventActions event={event} onDetails={() => setShown(event)} />}
        />
      </section>
      <SpeakerSchedule />
      <section aria-labelledby="awards-promotion">
        <SectionHead
          id="awards-promotion"
          className="wrap section pb-0"
          title="Youth Awards"
          intro="Four awards for the young people of the Clyde coast. Nominations open in August and close on 31st October."
          action={
            <Button asChild>
              <Link to="/youth-awards">See the Youth Awards</Link>
            </Button>
          }
        />
        <Panorama />
      </section>
      <ContactCall />
      {shown ? (
        <Suspense>
          <EventDialog event={shown} onClose={() => setShown(undefined)} />
        </Suspense>
      ) : null}
    </>
  )
}

function EventActions({ event, onDetails }: { event: ClubEvent; onDetails: () => void }) {
  return (
    <div className="flex flex-wrap gap-3 desk:flex-col desk:items-stretch">
      <Button
        variant="outline"
        size="sm"
        className="needs-script"
        onClick={onDetails}
        onPointerEnter={() => void loadDialog()}
        aria-haspopup="dialog"
      >
        View details<span className="sr-only">: {event.title}</span>
      </Button>
      {event.rsvpSubject === undefined ? null : (
        <Button asChild size="sm">
          <a href={mailto(getSettings().clubEmail, event.rsvpSubject)}>
            RSVP by e-mail <Mail aria-hidden />
          </a>
        </Button>
      )}
    </div>
  )
}

function ContactCall() {
  const { clubEmail } = getSettings()
  return (
    <section className="section wrap flex flex-wrap items-center justify-between gap-x-10 gap-y-5">
      <p className="max-w-[26em] font-display text-h2 font-bold text-balance">
        Something on your mind about an evening? Ask us.
      </p>
      <Button asChild variant="outline">
        <a href={`mailto:${clubEmail}`}>
          E-mail the club <Mail aria-hidden />
        </a>
      </Button>
    </section>
  )
}
