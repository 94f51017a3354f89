import { Clock, MapPin } from 'lucide-react'
import { AwardScene } from '@/components/art/AwardScene'
import { ExternalLink } from '@/components/ExternalLink'
import { SitePicture } from '@/components/SitePicture'
import { when } from '@/lib/content-template'
import type { ClubEvent } from '@/lib/site-content'
import { getSettings } from '@/lib/config'
import { Button } from '@cloch/ui/components/button'

/** The main event of the season, in front of a night sky. */
export function FeaturedEvent({ event }: { event: ClubEvent }) {
  return (
    <section className="award-musician relative overflow-hidden bg-[var(--award-sky)] text-[var(--award-sky-on)]">
      <div className="absolute inset-0 max-desk:hidden">
        <AwardScene award="musician" view="wide" />
      </div>
      <div className="wrap relative grid content-start pt-[clamp(2rem,1.4rem+2.4vw,3.5rem)] pb-10 desk:min-h-[48rem]">
        <h1 className="text-h1">Events</h1>
        <p className="mt-6 font-strong">Next: {event.date}</p>
        <h2 className="mt-1 text-title">{event.title}</h2>
        <p className="mt-3 max-w-[26em] text-lede">{event.description}</p>
        <p className="mt-3 flex flex-wrap gap-x-5 gap-y-1">
          <span className="inline-flex items-center gap-1.5">
            <Clock aria-hidden /> {event.time}
          </span>
          <span className="inline-flex items-center gap-1.5">
            <MapPin aria-hidden /> {event.location}
          </span>
        </p>
        <div className="mt-6">
          <Button asChild className="border-white bg-white text-ink">
            <ExternalLink href={getSettings().ticketsUrl}>Get Tickets</ExternalLink>
          </Button>
        </div>
        {when(event.picture, (path) => (
          <SitePicture path={path} alt={event.pictureAlt ?? ''} className="mt-8 max-w-[28rem]" />
        ))}
      </div>
      <div className="h-56 desk:hidden">
        <AwardScene award="musician" view="wide" />
      </div>
    </section>
  )
}
