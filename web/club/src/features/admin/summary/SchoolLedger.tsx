import { memo, useDeferredValue } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { awardNames, awards } from '../shared/award'
import { AwardDot } from '../shared/AwardDot'
import { MixBar } from './MixBar'
import type { SchoolTotal } from './school-totals'

/** Number of rows that are rendered at first: as many as a large window shows. The other rows are rendered when the browser is idle. */
const first = 20

/** The schools, one row each: name, bar, counts and total. */
export function SchoolLedger({ schools }: { schools: readonly SchoolTotal[] }) {
  const shown = useDeferredValue(schools, schools.slice(0, first))
  const most = schools[0]?.total ?? 0
  return (
    <>
      <ul className="overflow-hidden rounded border bg-card">
        {shown.map((school) => (
          <SchoolRow key={school.id} school={school} share={school.total / most} />
        ))}
      </ul>
      <p className="mt-3.5 text-small text-muted-foreground">Hatched bars are paper entries counted offline.</p>
    </>
  )
}

const SchoolRow = memo(function SchoolRow({ school, share }: { school: SchoolTotal; share: number }) {
  return (
    <li className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-2 border-t px-5 py-4.5 [contain-intrinsic-size:auto_6rem] [content-visibility:auto] first:border-t-0 xl:grid-cols-[15rem_minmax(0,1fr)_6rem] xl:items-center">
      <h3 className="font-sans text-[1.0625rem] leading-snug font-bold tracking-normal [overflow-wrap:anywhere] xl:row-span-2">
        {school.name}
      </h3>
      <p className="text-right tabular-nums xl:col-start-3 xl:row-span-2 xl:row-start-1">
        <b className="font-display text-2xl leading-none">{school.total}</b>{' '}
        <span className="text-small text-muted-foreground">entries</span>
      </p>
      <MixBar counts={school.counts} share={share} className="col-span-full xl:col-start-2 xl:col-end-3 xl:row-start-1" />
      <dl className="col-span-full grid gap-x-2 gap-y-0.5 text-[0.9688rem] sm:grid-cols-2 md:grid-cols-[1fr_1.15fr_1.35fr_1.1fr] xl:col-start-2 xl:col-end-3 xl:row-start-2">
        {awards.map((award) => {
          const { online, offline } = school.counts[award]
          return (
            <div
              key={award}
              className={cn('flex items-center gap-2 whitespace-nowrap', online + offline === 0 && 'text-muted-foreground')}
            >
              <dt className="flex items-center gap-2">
                <AwardDot award={award} />
                {awardNames[award].short}
              </dt>
              <dd className="flex items-baseline gap-2">
                <b className="tabular-nums">{online}</b>
                {offline > 0 ? <span className="text-floor text-muted-foreground">(+{offline} offline)</span> : null}
              </dd>
            </div>
          )
        })}
      </dl>
    </li>
  )
})
