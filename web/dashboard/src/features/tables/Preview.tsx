import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Dialog } from '@/components/Dialog'
import { Facts } from '@/components/Facts'
import { Result } from '@/components/states'
import { post } from '@/lib/api'
import type { As } from '@/lib/as'
import type { TableDetail } from '@/lib/schema'
import { linked } from './grid-keys'
import { viewToQuery, type RowsPage } from './model'

/** Shows the row to which a value refers, with a link to it. */
export function Preview({
  table,
  column,
  value,
  as,
  onClose,
}: {
  table: TableDetail
  column: string
  value: string
  as: As | null
  onClose: () => void
}) {
  const reference = linked(table).get(column)
  const filter = { column: reference?.referenced[0] ?? '', op: 'eq' as const, value }
  const row = useQuery({
    queryKey: ['rows', reference?.schema, reference?.table, 'preview', filter, as],
    enabled: reference !== undefined,
    queryFn: ({ signal }) =>
      post<RowsPage>(
        '/rows/read',
        { schema: reference?.schema, table: reference?.table, filters: [filter], limit: 1, ...(as === null ? {} : { as }) },
        signal,
      ),
  })
  if (!reference) return null
  const query = viewToQuery({ filters: [filter], sort: [], as: null })
  return (
    <Dialog title={`${reference.table} ${value}`} onClose={onClose}>
      <Result query={row} what="the row">
        {({ columns, rows: [found] }) =>
          found === undefined ? (
            <p>There is no such row, or it cannot be seen.</p>
          ) : (
            <Facts
              facts={columns.map((name, index) => [
                name,
                found[index] ?? (
                  <span key={name} className="text-muted-foreground">
                    null
                  </span>
                ),
              ])}
            />
          )
        }
      </Result>
      <p>
        <Link
          to={`/tables/${encodeURIComponent(reference.schema)}/${encodeURIComponent(reference.table)}?${query}`}
          onClick={onClose}
        >
          Open it in {reference.table}
        </Link>
      </p>
    </Dialog>
  )
}
