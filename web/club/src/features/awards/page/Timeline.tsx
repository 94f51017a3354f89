import { ExternalLink } from '@/components/ExternalLink'
import { season } from '@/content/awards'
import { getSettings } from '@/lib/config'

/** A line with three dates of the season: in August, October and November. */
export function Timeline() {
  const steps = [
    { date: season.opens, text: 'Nominations open' },
    { date: season.deadline, text: 'Deadline for entries and files' },
    { date: season.ceremony, text: `Award ceremony, ${season.ceremonyTime}` },
  ]
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline" className="text-[1.625rem] leading-tight">
        Timeline
      </h2>
      <ol className="mt-5">
        {steps.map(({ date, text }, index) => (
          <li
            key={date}
            className="relative grid grid-cols-[2.25rem_1fr] gap-3 pb-6 not-last:after:absolute not-last:after:top-4 not-last:after:-bottom-2 not-last:after:left-[0.6875rem] not-last:after:w-1 not-last:after:bg-foreground"
          >
            <span
              aria-hidden
              className={`z-1 mt-1 ml-1 size-4.5 rounded-full border-4 border-foreground ${index === 1 ? 'bg-lamp-500' : 'bg-background'}`}
            />
            <div>
              <h3 className="text-xl leading-tight">{date}</h3>
              {text}
              {index === 2 ? (
                <p>
                  <ExternalLink href={getSettings().ticketsUrl} className="inline-flex items-center gap-1.5 py-1.5">
                    Get Tickets
                  </ExternalLink>
                </p>
              ) : null}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
