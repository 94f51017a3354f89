import { useQuery } from '@tanstack/react-query'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@cloch/ui/components/table'
import { isOf, useShownSeason } from '../seasons/season-view'
import { awardNames } from '../shared/award'
import { offlineQuery } from './queries/list-counts'

/** The counts as they stand. */
export function OfflineList() {
  const { data = [] } = useQuery(offlineQuery)
  const shown = useShownSeason()
  const counts = data.filter(({ created_at }) => isOf(shown, created_at))
  if (counts.length === 0) return null
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
