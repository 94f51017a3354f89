import { Mail } from 'lucide-react'
import { GolfShore } from '@/components/art/GolfShore'
import { ExternalLink } from '@/components/ExternalLink'
import { meeting } from '@/content/club'
import { getSettings } from '@/lib/config'
import { mailto } from '@/lib/mailto'
import { Button } from '@cloch/ui/components/button'

/** Where and when the club meets, and directions. */
export function VisitUs() {
  const { clubEmail, mapsUrl } = getSettings()
  const details = [
    { term: 'E-mail', value: <a href={`mailto:${clubEmail}`}>{clubEmail}</a> },
    { term: 'Meeting location', value: meeting.place },
    { term: 'Meeting times', value: meeting.hours },
  ]
  return (
    <aside className="grid gap-10">
      <section aria-labelledby="details">
        <h2 id="details" className="text-[1.625rem] leading-tight">
          Details
        </h2>
        <dl className="mt-4 border-t">
          {details.map(({ term, value }) => (
            <div key={term} className="border-b py-3">
              <dt className="text-small text-muted-foreground">{term}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-labelledby="visit" className="grid justify-items-start gap-4">
        <h2 id="visit" className="text-[1.625rem] leading-tight">
          Visit Us
        </h2>
        <GolfShore />
        <p>The clubhouse stands above the bay, a short walk uphill from the station. Come in, and say it is your first time.</p>
        <div className="flex flex-wrap gap-3">
          <Button asChild>
            <ExternalLink href={mapsUrl}>Get Directions</ExternalLink>
          </Button>
          <Button asChild variant="outline">
            <a href={mailto(clubEmail, 'I would like to visit the club')}>
              Let Us Know You&apos;re Coming <Mail aria-hidden />
            </a>
          </Button>
        </div>
      </section>
    </aside>
  )
}
