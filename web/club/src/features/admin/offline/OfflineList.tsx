import { useQuery } from '@tanstack/react-query'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@cloch/ui/components/table'
import { isOf, useShownSeason } from '../seasons/season-view'
import { awardNames } from '../shared/award'
import { LoadFailed } from '../shared/LoadFailed'
import { offlineQuery, type OfflineCount } from './queries/list-counts'

/** The counts of the season that is shown. */
export function OfflineList() {
  const { data = [], isError, refetch } = useQuery(offlineQuery)
  const shown = useShownSeason()
  const counts = data.filter(({ created_at }) => isOf(shown, created_at))
  return (
    <>
      {isError ? <LoadFailed onRetry={() => void refetch()}>Failed to fetch submissions</LoadFailed> : null}
      {counts.length > 0 ? <CountTable counts={counts} /> : null}
    </>
  )
}

function CountTable({ counts }: { counts: readonly OfflineCount[] }) {
  return (
    <Table aria-label="Current offline counts">
      <TableHead>
        <tr>
          <TableHeader>School</TableHeader>
          <TableHeader>Category</TableHeader>
          <TableHeader className="text-right">Count</TableHeader>
          <TableHeader>Notes</TableHeader>
        </tr>
      </TableHead>
      <TableBody>
        {counts.map((row) => (
          <TableRow key={row.id}>
            <TableCell>{row.schools?.name ?? '-'}</TableCell>
            <TableCell>{awardNames[row.category].short}</TableCell>
            <TableCell className="text-right tabular-nums">{row.count}</TableCell>
            <TableCell>{row.notes ?? '-'}</TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}
