import { CircleAlert } from 'lucide-react'
import type { FieldValues } from 'react-hook-form'
import { Button } from '@cloch/ui/components/button'
import type { Stamped } from './stale'
import type { RecordForm } from './use-record-form'

interface ConflictNoticeProps<Row extends Stamped, Values extends FieldValues, Input> {
  record: RecordForm<Row, Values, Input>
  labels: Partial<Record<keyof Row & string, string>>
}

/**
 * Shown if another admin has changed the record while this user edited it. Shows what the other admin saved, and has buttons to choose one of the two
 * versions.
 */
export function ConflictNotice<Row extends Stamped, Values extends FieldValues, Input>({
  record: { conflict, theirs, before, takeTheirs, keepMine, saving },
  labels,
}: ConflictNoticeProps<Row, Values, Input>) {
  const fields = Object.entries(labels) as [keyof Row & string, string][]
  // Only the fields that the other admin has changed.
  const differences = theirs && before ? fields.filter(([name]) => text(theirs[name]) !== text(before[name])) : []
  return (
    <div role="alert" className="grid gap-3 rounded border-3 border-destructive bg-destructive-wash p-4">
      <p className="flex gap-2 font-strong">
        <CircleAlert aria-hidden className="mt-0.5 text-destructive" />
        {conflict ? 'Somebody else has changed this record in the meantime.' : 'Somebody else has deleted this record.'}
      </p>
      {differences.length > 0 ? (
        <dl className="grid gap-1">
          {differences.map(([name, label]) => (
            <div key={name} className="flex flex-wrap gap-x-2">
              <dt>{label} is now</dt>
              <dd className="font-strong [overflow-wrap:anywhere]">{text(theirs?.[name]) || '(empty)'}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      <div className="flex flex-wrap gap-2.5">
        {conflict ? (
          <Button size="sm" onClick={takeTheirs}>
            Take over their version
          </Button>
        ) : null}
        <Button size="sm" variant="outline" disabled={saving} onClick={keepMine}>
          {conflict ? 'Save mine all the same' : 'Save it as a new record'}
        </Button>
      </div>
    </div>
  )
}

function text(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
