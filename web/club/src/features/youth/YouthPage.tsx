import { Link } from 'react-router'
import { ExternalLink } from '@/components/ExternalLink'
import { Panorama } from '@/components/Panorama'
import { PortholeList } from '@/components/PortholeList'
import { withPortholes } from '@/components/portholes'
import { SectionHead } from '@/components/SectionHead'
import { SkyStrip } from '@/components/SkyStrip'
import { season } from '@/content/awards'
import { youthProgrammes } from '@/content/youth'
import { getSettings } from '@/lib/config'
import { usePage } from '@/lib/use-page'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'

export function Component() {
  usePage({
    title: 'Youth',
    description: 'How the club supports young people: music, art, citizenship, and an evening that celebrates all of them.',
    path: '/youth',
  })
  return (
    <>
      <SkyStrip
        title="Youth"
        lede="Young people make this coast louder, brighter and kinder. We make room for them."
        motif="yachts"
      />
      <Awards />
      <Feature />
      <section aria-labelledby="programmes" className="section wrap pt-0">
        <SectionHead id="programmes" title="Our programmes" />
        <PortholeList items={withPortholes(youthProgrammes, ['dinghies', 'canvas', 'lighthouse'])} />
      </section>
      <CitizenBlock />
      <Support />
    </>
  )
}

/** The four awards with their dates: who looks for any of them finds the way from here. */
function Awards() {
  const { ticketsUrl } = getSettings()
  return (
    <section aria-labelledby="four-awards">
      <div className="wrap flex flex-wrap items-end justify-between gap-x-10 gap-y-4 pt-[clamp(2rem,1.4rem+2.4vw,4rem)] pb-[clamp(1.5rem,3vw,2.5rem)]">
        <div className="max-w-[34em]">
          <h2 id="four-awards" className="text-h2">
            Youth Awards
          </h2>
          <p className="mt-3 text-lede">
            Nominations open in {season.opens} and close on {season.deadline}; the ceremony is on {season.ceremony}.
          </p>
        </div>
        <div className="flex flex-wrap gap-3">
          <Button asChild>
            <Link to="/youth-awards">About the awards</Link>
          </Button>
          <Button asChild variant="outline">
            <ExternalLink href={ticketsUrl}>Get Tickets</ExternalLink>
          </Button>
        </div>
      </div>
      <Panorama />
    </section>
  )
}

function Feature() {
  return (
    <section aria-labelledby="feature" className="section wrap">
      <div className="award-musician rounded bg-award-wash p-[clamp(1.5rem,4vw,3rem)]">
        <Badge tone="award" className="bg-award text-award-on">
          Upcoming Event
        </Badge>
        <h2 id="feature" className="mt-3 text-h2">
          Young Musician of the Year 2024
        </h2>
        <p className="mt-3 max-w-[34em]">
          Singers and players in front of a full hall, and an audience that had not expected to stand up. The next evening is
          being prepared now.
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          <Button asChild>
            <Link to="/events">View Event Details</Link>
          </Button>
          <Button asChild variant="outline">
            <Link to="/contact">Get Involved</Link>
          </Button>
        </div>
      </div>
    </section>
  )
}

function CitizenBlock() {
  return (
    <section aria-labelledby="citizen-awards" className="award-citizen bg-award-wash">
      <div className="wrap flex flex-wrap items-center justify-between gap-x-10 gap-y-5 py-[clamp(2.5rem,1.5rem+3vw,4.5rem)]">
        <div className="max-w-[34em]">
          <h2 id="citizen-awards" className="text-h2">
            Young Citizen Awards
          </h2>
          <p className="mt-3">
            For individuals and groups who show positive citizenship. If somebody came to mind, nominate them.
          </p>
        </div>
        <Button asChild>
          <Link to="/young-citizen">Young Citizen Awards</Link>
        </Button>
      </div>
    </section>
  )
}

function Support() {
  return (
    <section aria-labelledby="support" className="section wrap">
      <h2 id="support" className="text-h2">
        Support Youth Development
      </h2>
      <p className="mt-3 max-w-[34em]">
        Judge, steward, drive, accompany, bake, or sit with a nervous parent. There is a job for you.
      </p>
      <div className="mt-6 flex flex-wrap gap-3">
        <Button asChild>
          <Link to="/get-involved">Volunteer with Us</Link>
        </Button>
        <Button asChild variant="outline">
          <Link to="/contact">Contact Us</Link>
        </Button>
      </div>
    </section>
  )
}
