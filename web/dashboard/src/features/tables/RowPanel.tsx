import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { post } from '@/lib/api'
import type { As } from '@/lib/as'
import type { Reference, TableColumn, TableDetail } from '@/lib/schema'
import { rowName, type Edit, type Key, type Value } from './edits'
import { isFixed, keyOf, linked } from './grid-keys'
import type { Row } from './use-rows'
import { ValueField } from './ValueField'

/** Side panel for one row. It has a field for each column, which contains the whole value. */
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
  onEdit: ((edits: readonly Edit[]) => void) | undefined
  onClose: () => void
}) {
  const key = keyOf(table, row)
  const [values, setValues] = useState<Record<string, Value>>({})
  const keep = () => {
    if (key) onEdit?.(Object.entries(values).map(([column, value]) => ({ kind: 'set', row: rowName(key), key, column, value })))
    onClose()
  }
  const references = linked(table)
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
          onEdit([{ kind: 'delete', row: rowName(key), key }])
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
          reference={references.get(column.name)}
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
  reference: Reference | undefined
  rowKey: Key | undefined
  isCut: boolean
  value: Value
  onChange: ((value: Value) => void) | undefined
}

/** A field for a value. If the grid has only the beginning of the value, the field fetches the whole value. */
function StoredField({ table, column, as, reference, rowKey, isCut, value, onChange }: StoredProps) {
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
  const isReadOnly = isFixed(column) || (isCut && whole.data === undefined)
  const [isChanged, setChanged] = useState(false)
  const shown = isCut && !isChanged ? (whole.data?.value ?? value) : value
  const change = (next: Value) => {
    setChanged(true)
    onChange?.(next)
  }
  return <ValueField {...{ column, reference, as }} value={shown} onChange={isReadOnly ? undefined : onChange && change} />
}
