import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { TableColumn } from '@/lib/schema'
import type { Value } from './edits'

interface CellEditorProps {
  column: TableColumn
  value: Value
  onCommit: (value: Value) => void
  onCancel: () => void
}

/** Values that a select offers, where there are few. */
export function choices(column: TableColumn): string[] | undefined {
  if (column.base === 'boolean') return ['true', 'false']
  return column.values ?? undefined
}

const asText = (column: TableColumn, value: Value): string => {
  if (value === null || typeof value === 'object') return ''
  if (column.base === 'boolean') return value === 't' || value === 'true' ? 'true' : 'false'
  return value
}

/** The control of one cell: Enter keeps, Escape leaves, Control+Delete makes it null. PostgreSQL checks the value. */
export function CellEditor({ column, value, onCommit, onCancel }: CellEditorProps) {
  const before = asText(column, value)
  const [text, setText] = useState(before)
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null)
  const isDone = useRef(false)
  useEffect(() => {
    control.current?.focus()
  }, [])
  const finish = (next: Value | undefined) => {
    if (isDone.current) return
    isDone.current = true
    if (next === undefined || (next === before && value !== null)) onCancel()
    else onCommit(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Enter') finish(text)
    else if (event.key === 'Escape') finish(undefined)
    else if (event.key === 'Delete' && (event.ctrlKey || event.metaKey) && column.nullable) finish(null)
    else return
    event.preventDefault()
  }
  const shared = {
    ref: control,
    'aria-label': `${column.name}, ${column.type}`,
    value: text,
    onKeyDown,
    onBlur: () => finish(text === before ? undefined : text),
    className: 'size-full bg-card px-1 text-foreground',
  }
  const options = choices(column)
  if (options)
    return (
      <select
        {...shared}
        onChange={(event) => {
          const chosen = event.target.value
          finish(chosen === '' ? null : chosen)
        }}
      >
        {(column.nullable || text === '') && <option value="">null</option>}
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    )
  return (
    <input
      {...shared}
      spellCheck={false}
      autoComplete="off"
      inputMode={column.base === 'number' ? 'decimal' : 'text'}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
