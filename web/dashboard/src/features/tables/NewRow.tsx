import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { useReviewSql, useRunSql, type SqlChange } from '@/components/ReviewSql'
import { Refused } from '@/components/states'
import { describeAs, type As } from '@/lib/as'
import { notifyError } from '@/lib/notify'
import type { TableDetail } from '@/lib/schema'
import type { Change, Value } from './edits'
import { isFixed, linked } from './grid-keys'
import { RowsSql } from './RowsSql'
import { sqlOf, tryAs } from './use-edits'
import { ValueField } from './ValueField'

/** Form for a new row. If a field is not changed, the column gets its default. */
export function NewRow({
  table,
  as,
  onClose,
  onDone,
}: {
  table: TableDetail
  as: As | null
  onClose: () => void
  onDone: () => void
}) {
  const [values, setValues] = useState<Record<string, Value>>({})
  const review = useReviewSql()
  const references = linked(table)
  const writable = table.columns.filter((column) => !isFixed(column))
  const changes: Change[] = [{ kind: 'insert', schema: table.schema, table: table.name, values }]
  const run = useRunSql()
  const change = async (): Promise<SqlChange> => ({
    title: `New row of ${table.name}`,
    sql: await sqlOf(changes),
    expectRows: 1,
    done: 'The row is there',
    onDone: () => {
      onClose()
      onDone()
    },
  })
  const show = async () => {
    try {
      review(await change())
    } catch (error) {
      notifyError('The row has no SQL', error)
    }
  }
  return (
    <Dialog
      title={`New row of ${table.name}`}
      place="side"
      onClose={onClose}
      isDirty={Object.keys(values).length > 0}
      footer={
        as === null ? (
          <>
            {run.isError && <Refused error={run.error} className="basis-full" />}
            <Button size="compact" disabled={run.isPending} aria-busy={run.isPending} onClick={() => run.mutate(change)}>
              Add the row
            </Button>
            <Button variant="outline" size="compact" onClick={() => void show()}>
              Show the SQL
            </Button>
          </>
        ) : (
          <Button size="compact" onClick={() => void tryAs(as, changes)}>
            Try it as {describeAs(as)}
          </Button>
        )
      }
    >
      {writable.map((column) => (
        <ValueField
          key={column.name}
          column={column}
          reference={references.get(column.name)}
          as={as}
          value={
            column.name in values
              ? (values[column.name] ?? null)
              : column.default === null && column.nullable
                ? null
                : { default: true }
          }
          onChange={(value) => setValues((before) => ({ ...before, [column.name]: value }))}
        />
      ))}
      <RowsSql changes={changes} />
    </Dialog>
  )
}
