import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { AreaField, CheckField, Field, SelectField, control } from '@/components/fields'
import { useReviewSql, useRunSql, type SqlChange } from '@/components/ReviewSql'
import { Refused } from '@/components/states'
import { post } from '@/lib/api'
import { describeAs, type As } from '@/lib/as'
import { notifyError } from '@/lib/notify'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { choices } from './CellEditor'
import { rowName, type Change, type Edit, type Key, type Value } from './edits'
import { keyOf } from './grid-keys'
import { RowsSql } from './RowsSql'
import { sqlOf, tryAs } from './use-edits'
import type { Row } from './use-rows'

/** One row in a panel: each value whole, with a field of its own. */
export function RowPanel({
  table,
  row,
  as,
  onEdit,
  onClose,
}: {
  table: TableDetail
  row: Row
  as: As | null
  onEdit: ((edit: Edit) => void) | undefined
  onClose: () => void
}) {
  const key = keyOf(table, row)
  const [values, setValues] = useState<Record<string, Value>>({})
  const keep = () => {
    if (key)
      for (const [column, value] of Object.entries(values)) onEdit?.({ kind: 'set', row: rowName(key), key, column, value })
    onClose()
  }
  const canEdit = key !== undefined && onEdit !== undefined
  const footer = canEdit && (
    <>
      <Button size="compact" disabled={Object.keys(values).length === 0} onClick={keep}>
        Keep the changes
      </Button>
      <Button
        variant="outline"
        size="compact"
        onClick={() => {
          onEdit({ kind: 'delete', row: rowName(key), key })
          onClose()
        }}
      >
        <Trash2 aria-hidden />
        Delete the row
      </Button>
    </>
  )
  return (
    <Dialog
      title={`Row of ${table.name}`}
      description={canEdit ? 'Changes are kept until you save them, and can be undone.' : 'This row can only be read here.'}
      place="side"
      onClose={onClose}
      footer={footer || undefined}
      isDirty={Object.keys(values).length > 0}
    >
      {table.columns.map((column, index) => (
        <StoredField
          key={column.name}
          {...{ table, column, as }}
          rowKey={row.cut.has(index) ? key : undefined}
          isCut={row.cut.has(index)}
          value={column.name in values ? (values[column.name] ?? null) : (row.values[index] ?? null)}
          onChange={canEdit ? (value) => setValues((before) => ({ ...before, [column.name]: value })) : undefined}
        />
      ))}
    </Dialog>
  )
}

interface StoredProps {
  table: TableDetail
  column: TableColumn
  as: As | null
  rowKey: Key | undefined
  isCut: boolean
  value: Value
  onChange: ((value: Value) => void) | undefined
}

/** A field whose value is fetched whole where the grid has a part of it. */
function StoredField({ table, column, as, rowKey, isCut, value, onChange }: StoredProps) {
  const whole = useQuery({
    queryKey: ['rows', table.schema, table.name, 'cell', rowKey, column.name, as],
    enabled: rowKey !== undefined,
    queryFn: ({ signal }) =>
      post<{ value: string | null }>(
        '/rows/cell',
        { schema: table.schema, table: table.name, key: rowKey, column: column.name, ...(as === null ? {} : { as }) },
        signal,
      ),
  })
  const isFixed = column.generated || column.identity === 'always' || (isCut && whole.data === undefined)
  const [isChanged, setChanged] = useState(false)
  const shown = isCut && !isChanged ? (whole.data?.value ?? value) : value
  const change = (next: Value) => {
    setChanged(true)
    onChange?.(next)
  }
  return <ValueField column={column} value={shown} onChange={isFixed ? undefined : onChange && change} />
}

/** A value of a column: a list where there are few, a date where the browser has one, else text. */
export function ValueField({
  column,
  value,
  onChange,
}: {
  column: TableColumn
  value: Value
  onChange: ((value: Value) => void) | undefined
}) {
  const text = typeof value === 'string' ? (column.base === 'boolean' ? (value.startsWith('t') ? 'true' : 'false') : value) : ''
  const options = choices(column)
  const isDefault = typeof value === 'object' && value !== null
  const hint = `${column.type}${column.default === null ? '' : `, default ${column.default}`}${column.comment === null ? '' : `. ${column.comment}`}`
  const disabled = onChange === undefined
  const isMissing = column.default === null && column.identity === null && !column.nullable
  const empty = isDefault ? (isMissing ? 'required' : 'default') : value === null ? 'null' : ''
  return (
    <div className="flex items-end gap-3 [&>:first-child]:min-w-0 [&>:first-child]:flex-1">
      {options ? (
        <SelectField
          label={column.name}
          hint={hint}
          value={text}
          disabled={disabled}
          onChange={(next) => onChange?.(next === '' ? null : next)}
        >
          <option value="">{empty || 'null'}</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </SelectField>
      ) : column.base === 'json' || column.base === 'text' || column.base === 'array' ? (
        <AreaField
          label={column.name}
          hint={hint}
          value={text}
          placeholder={empty}
          disabled={disabled}
          rows={text.length > 60 ? 5 : 1}
          spellCheck={column.base === 'text'}
          onChange={(next) => onChange?.(next)}
          controlClassName={column.base === 'text' ? '' : 'font-mono'}
        />
      ) : (
        <Field label={column.name} hint={hint}>
          {(wiring) => (
            <input
              {...wiring}
              className={control}
              value={text}
              placeholder={empty}
              disabled={disabled}
              type={column.base === 'date' ? 'date' : 'text'}
              inputMode={column.base === 'number' ? 'decimal' : 'text'}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => onChange?.(event.target.value)}
            />
          )}
        </Field>
      )}
      {!disabled && column.nullable && (
        <CheckField
          label={
            <>
              <span className="sr-only">{column.name} is </span>null
            </>
          }
          checked={value === null}
          onChange={(isNull) => onChange(isNull ? null : '')}
        />
      )}
    </div>
  )
}

/** A new row; what is left alone gets its default. */
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
  const writable = table.columns.filter((column) => !column.generated && column.identity !== 'always')
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
