import { useQuery } from '@tanstack/react-query'
import { formatMoment } from '@/lib/dates'
import { describeChange, fieldChanges } from './describe'
import { changesQuery, type AuditedTable } from './queries/list-changes'

interface AuditTrailProps {
  table: AuditedTable
  record: string
  updatedAt: string
}

/** The changes of a record: who made each change, and when. */
export function AuditTrail({ table, record, updatedAt }: AuditTrailProps) {
  const { data: changes, isError } = useQuery(changesQuery(table, record, updatedAt))
  if (isError) return <p role="alert">The history could not be read.</p>
  if (!changes) return <p role="status">Loading...</p>
  if (changes.length === 0) return <p className="text-muted-foreground">Nothing has been changed.</p>
  return (
    <ol className="grid gap-3">
      {changes.map((change) => (
        <li key={change.id} className="[overflow-wrap:anywhere]">
          <p>
            {describeChange(change)} <span className="text-muted-foreground">on {formatMoment(change.changed_at)}</span>
          </p>
          <ul className="text-small">
            {fieldChanges(change).map(({ field, from, to }) => (
              <li key={field}>
                <span className="text-muted-foreground">{field}:</span> {from} → {to}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}
