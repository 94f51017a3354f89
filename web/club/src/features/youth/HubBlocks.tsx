import { Link } from 'react-router'
import { PortholeList } from '@/components/PortholeList'
import { withPortholes } from '@/components/portholes'
import { SectionHead } from '@/components/SectionHead'
import { youthProgrammes } from '@/content/youth'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'

/** The club's programmes for young people during the year. */
export function Programmes() {
  return (
    <section aria-labelledby="programmes" className="section wrap pt-0">
      <SectionHead id="programmes" title="Our programmes" />
      <PortholeList items={withPortholes(youthProgrammes, ['dinghies', 'canvas', 'lighthouse'])} />
    </section>
  )
}

/** The competition that is announced as the next event. */
export function Feature() {
  return (
    <section aria-labelledby="feature" className="section wrap pt-0">
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

/** The Young Citizen award. Young people do not enter it themselves: others nominate them. */
export function CitizenBlock() {
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

/** Ways to help. */
export function Support() {
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
