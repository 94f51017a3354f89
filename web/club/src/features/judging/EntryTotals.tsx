import { useQueries } from '@tanstack/react-query'
import { awardNames, categories, judgedAwards, type Award } from './awards'
import { useJudgeClient } from './judge-client'
import { countQuery } from './queries/count-entries'

const totals = judgedAwards.flatMap((award) => categories.map((category) => ({ award, category })))

/** The number of entries to judge. */
export function EntryTotals() {
  const client = useJudgeClient()
  const counts = useQueries({ queries: totals.map(({ award, category }) => countQuery(client, award, category)) })
  return (
    <TotalsFrame
      totals={totals.map(({ award, category }, index) => ({
        award,
        label: `${awardNames[award].short} - ${category}`,
        value: counts[index]?.data,
      }))}
    />
  )
}

interface Total {
  award: Award
  label: string
  /** Undefined while the number is being loaded. */
  value: number | undefined
  /** Text below the number. */
  note?: string
}

/** Shows one number for each category. */
export function TotalsFrame({ totals }: { totals: readonly Total[] }) {
  return (
    <section aria-labelledby="entry-totals">
      <h2 id="entry-totals" className="mb-3.5 text-[1.375rem]">
        Entry Totals
      </h2>
      <dl className="grid grid-cols-2 overflow-hidden rounded border bg-card md:grid-cols-4">
        {totals.map(({ award, label, value, note }) => (
          <div
            key={label}
            className="flex flex-col border-t-8 px-4.5 py-4 md:not-first:border-l"
            style={{ borderTopColor: `var(--${award})` }}
          >
            <dt className="grow text-[0.9688rem] text-muted-foreground">{label}</dt>
            <dd className="mt-0.5 font-display text-[2rem] leading-tight font-bold tabular-nums">{value ?? '–'}</dd>
            {note ? <dd className="text-small">{note}</dd> : null}
          </div>
        ))}
      </dl>
    </section>
  )
}
