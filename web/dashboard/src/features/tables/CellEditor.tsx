import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { TableColumn } from '@/lib/schema'
import type { Value } from './edits'

interface CellEditorProps {
  column: TableColumn
  value: Value
  /** @param step number of columns by which the selection moves: 1 after Tab, -1 after Shift+Tab */
  onCommit: (value: Value, step: number) => void
  onCancel: (step: number) => void
  /** For a foreign key: opens the list of rows to which the value can refer. */
  onChoose: (() => void) | undefined
}

/** The values that a select offers. `undefined` if the type has too many values for a select. */
export function choices(column: TableColumn): string[] | undefined {
  if (column.base === 'boolean') return ['true', 'false']
  return column.values ?? undefined
}

const asText = (column: TableColumn, value: Value): string => {
  if (value === null || typeof value === 'object') return ''
  if (column.base === 'boolean') return value === 't' || value === 'true' ? 'true' : 'false'
  return value
}

/** Types whose values have one line. */
const oneLine: ReadonlySet<TableColumn['base']> = new Set(['number', 'date', 'time', 'timestamp', 'timestamptz', 'uuid'])

const inside = 'size-full bg-card px-1 text-foreground'

/**
 * Editor of one cell. Keys: Enter and Tab keep the value, Shift+Enter inserts a line break, Escape discards the change, Control+Delete sets null,
 * Alt+ArrowDown lists the rows for a foreign key. PostgreSQL checks the value. Texts are edited in a textarea even if only one line is visible,
 * because a single-line input would remove line breaks.
 */
export function CellEditor({ column, value, onCommit, onCancel, onChoose }: CellEditorProps) {
  const before = asText(column, value)
  const [text, setText] = useState(before)
  const control = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null)
  const isDone = useRef(false)
  useEffect(() => {
    control.current?.focus()
  }, [])
  const finish = (next: Value | undefined, step = 0) => {
    if (isDone.current) return
    isDone.current = true
    if (next === undefined || (next === before && value !== null)) onCancel(step)
    else onCommit(next, step)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Enter' && !event.shiftKey) finish(text)
    else if (event.key === 'Tab') finish(text === before ? undefined : text, event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') finish(undefined)
    else if (event.key === 'Delete' && (event.ctrlKey || event.metaKey) && column.nullable) finish(null)
    else if (event.key === 'ArrowDown' && event.altKey && onChoose) {
      isDone.current = true
      onChoose()
    } else return
    event.preventDefault()
  }
  const shared = {
    ref: control,
    'aria-label': `${column.name}, ${column.type}`,
    value: text,
    onKeyDown,
    onBlur: () => finish(text === before ? undefined : text),
  }
  const options = choices(column)
  if (options)
    return (
      <select
        {...shared}
        className={inside}
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
  if (oneLine.has(column.base))
    return (
      <input
        {...shared}
        className={inside}
        spellCheck={false}
        autoComplete="off"
        inputMode={column.base === 'number' ? 'decimal' : 'text'}
        onChange={(event) => setText(event.target.value)}
      />
    )
  return (
    <textarea
      {...shared}
      rows={1}
      className={`${inside} resize-none overflow-hidden leading-[1.9] whitespace-pre`}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.target.value)}
    />
  )
}
