import { awardNames, awards, type Award } from '../shared/award'
import type { Count } from './school-totals'

/** Totals of the four awards. */
export function AwardTotals({ counts }: { counts: Record<Award, Count> }) {
  return (
    <dl className="mb-9 grid grid-cols-2 max-md:mb-5 overflow-hidden rounded border bg-card md:grid-cols-4">
      {awards.map((award) => (
        <div
          key={award}
          className="border-t-8 px-4.5 py-4 max-md:py-2 md:not-first:border-l"
          style={{ borderTopColor: `var(--${award})` }}
        >
          <dt className="text-[0.9688rem] text-muted-foreground">{awardNames[award].short}</dt>
          <dd className="mt-0.5 font-display text-[2rem] leading-tight font-bold tabular-nums">
            {counts[award].online}
            {counts[award].offline > 0 ? (
              <small className="ml-2 font-sans text-small font-normal text-muted-foreground">
                +{counts[award].offline} offline
              </small>
            ) : null}
          </dd>
        </div>
      ))}
    </dl>
  )
}
