import { useQuery } from '@tanstack/react-query'
import { awardNames, isAwardName } from '../shared/award'
import { BlockTable, type Column } from '../shared/BlockTable'
import { totalsQuery, type SeasonTotal } from './queries/list-totals'

const columns: Column<SeasonTotal>[] = [
  { name: 'Season', cell: ({ season }) => season, lead: true },
  { name: 'Award', cell: ({ award }) => (isAwardName(award) ? awardNames[award].label : award) },
  { name: 'Category', cell: ({ category }) => category },
  { name: 'Entries', cell: ({ entries }) => <span className="tabular-nums">{entries}</span> },
]

/** The totals of seasons that have been deleted. The totals themselves are not deleted. */
export function SeasonTotals() {
  const { data: totals = [] } = useQuery(totalsQuery)
  if (totals.length === 0) return null
  return (
    <section aria-labelledby="season-totals" className="mt-12">
      <h2 id="season-totals" className="mb-4 text-[1.375rem] leading-tight">
        Earlier seasons
      </h2>
      <BlockTable label="Earlier seasons" columns={columns} rows={totals} />
    </section>
  )
}
