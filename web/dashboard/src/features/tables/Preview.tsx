import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Dialog } from '@/components/Dialog'
import { Result } from '@/components/states'
import { post } from '@/lib/api'
import type { As } from '@/lib/as'
import type { TableDetail } from '@/lib/schema'
import { linked } from './grid-keys'
import { viewToQuery, type RowsPage } from './model'

/** The row that a value refers to, and the way to it. */
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
            <dl className="grid gap-x-4 sm:grid-cols-[minmax(0,12rem)_minmax(0,1fr)]">
              {columns.map((name, index) => (
                <div key={name} className="contents">
                  <dt className="text-muted-foreground sm:border-b sm:py-1">{name}</dt>
                  <dd className="border-b pb-1 break-words sm:py-1">
                    {found[index] ?? <span className="text-muted-foreground">null</span>}
                  </dd>
                </div>
              ))}
            </dl>
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
