import { Mail } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { lazyPart, RetryByMessage } from '@/components/lazy-part'
import { Panorama } from '@/components/Panorama'
import { SailingBoard } from '@/components/SailingBoard'
import { SectionHead } from '@/components/SectionHead'
import { SkyStrip } from '@/components/SkyStrip'
import { season } from '@/content/awards'
import { getSettings } from '@/lib/config'
import { each, when } from '@/lib/content-template'
import { mailto } from '@/lib/mailto'
import { getContent, type ClubEvent } from '@/lib/site-content'
import { usePage } from '@/lib/use-page'
import { Button } from '@cloch/ui/components/button'
import { EventDescription } from './EventDescription'
import { FeaturedEvent } from './FeaturedEvent'
import { SpeakerSchedule } from './SpeakerSchedule'

const loadDialog = () => import('./EventDialog')
const EventDialog = lazyPart(loadDialog, RetryByMessage)

export function Component() {
  const [shown, setShown] = useState<ClubEvent>()
  usePage({
    title: 'Events',
    description: `Youth Awards on ${season.ceremony}, guest speakers every Thursday, and the events of the club’s year.`,
    path: '/events',
  })
  const { events, featured } = getContent()
  return (
    <>
      {each(
        featured,
        (event) => (
          <FeaturedEvent event={event} />
        ),
        <NoFeaturedEvent />,
      )}
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
          intro={`Four awards for the young people of the Clyde coast. Nominations open ${season.opensWhen} and close on ${season.deadline}.`}
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
        onPointerEnter={() => void loadDialog().catch(() => undefined)}
        aria-haspopup="dialog"
      >
        View details<span className="sr-only">: {event.title}</span>
      </Button>
      {when(event.rsvpSubject, (subject) => (
        <Button asChild size="sm">
          <a href={mailto(getSettings().clubEmail, subject)}>
            RSVP by e-mail <Mail aria-hidden />
          </a>
        </Button>
      ))}
    </div>
  )
}

function NoFeaturedEvent() {
  return <SkyStrip title="Events" lede="Thursdays, dinners and the awards night: come along." motif="yachts" />
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
