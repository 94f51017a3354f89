import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { CellEditor } from './CellEditor'
import { CellText } from './CellText'
import { edited, rowName, type Edit, type Key, type Value } from './edits'
import type { Sort } from './model'
import type { Row } from './use-rows'

/** Pixels of a row. A million of them is the most that browsers draw. */
const rowHeight = 32
/** Pixels of a column by what is in it. */
const widths: Partial<Record<TableColumn['base'], number>> = {
  number: 120,
  boolean: 100,
  uuid: 290,
  json: 280,
  timestamptz: 240,
}

interface GridProps {
  table: TableDetail
  total: number
  row: (index: number) => Row | undefined
  sort: readonly Sort[]
  onSort: (column: string) => void
  edits: readonly Edit[]
  /** None: nothing can be edited. */
  onEdit: ((edit: Edit) => void) | undefined
  onRange: (from: number, to: number) => void
  onOpen: (row: Row) => void
  onFollow: (column: string, value: string) => void
}

interface Place {
  row: number
  column: number
}

/** Columns whose values are links to another table's row. */
export const linked = (table: TableDetail) =>
  new Map(
    table.foreign_keys.flatMap((reference) =>
      reference.columns.length === 1 ? [[reference.columns[0] ?? '', reference]] : [],
    ),
  )

export function keyOf(table: TableDetail, row: Row): Key | undefined {
  if (table.key.length === 0) return undefined
  const pairs = table.key.map((name) => {
    const place = table.columns.findIndex((column) => column.name === name)
    return [name, row.cut.has(place) ? null : row.values[place]] as const
  })
  return pairs.every(([, value]) => typeof value === 'string') ? (Object.fromEntries(pairs) as Key) : undefined
}

/** Rows and columns of which those in sight are drawn. One cell is current: keys move it, Enter edits it. */
export function Grid({ table, total, row, sort, onSort, edits, onEdit, onRange, onOpen, onFollow }: GridProps) {
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<Place>({ row: 0, column: 0 })
  const [isEditing, setEditing] = useState(false)
  const references = linked(table)
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 4,
    onChange: ({ range }) => {
      if (range) onRange(range.startIndex, range.endIndex)
    },
  })
  const columns = useVirtualizer({
    horizontal: true,
    count: table.columns.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => widths[table.columns[index]?.base ?? 'other'] ?? 200,
    overscan: 1,
  })
  const cellId = ({ row, column }: Place) => `${id}-${row}-${column}`

  const begin = ({ row: index, column: at }: Place) => {
    const [found, column] = [row(index), table.columns[at]]
    if (!found || !column) return
    const isFixed = column.generated || column.identity === 'always'
    if (!onEdit || isFixed || found.cut.has(at) || !keyOf(table, found)) onOpen(found)
    else setEditing(true)
  }
  const commit = (value: Value) => {
    const [found, column] = [row(current.row), table.columns[current.column]]
    const key = found && keyOf(table, found)
    setEditing(false)
    frame.current?.focus()
    if (key && column) onEdit?.({ kind: 'set', row: rowName(key), key, column: column.name, value })
  }
  const move = (next: Place) => {
    const to = { row: clamp(next.row, total), column: clamp(next.column, table.columns.length) }
    setCurrent(to)
    rows.scrollToIndex(to.row)
    columns.scrollToIndex(to.column)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const element = frame.current
    if (!element || event.target !== element) return
    const page = Math.max(1, Math.floor(element.clientHeight / rowHeight) - 2)
    const to = target(event, current, page, total, table.columns.length)
    if (to) move(to)
    else if (event.key === 'Enter' || event.key === 'F2') begin(current)
    else if (event.key === ' ') {
      const found = row(current.row)
      if (found) onOpen(found)
    } else return
    event.preventDefault()
  }
  const headings = columns.getVirtualItems()
  return (
    <div
      ref={frame}
      role="grid"
      aria-label={`Rows of ${table.name}`}
      aria-rowcount={total + 1}
      aria-colcount={table.columns.length}
      aria-activedescendant={total > 0 ? cellId(current) : undefined}
      aria-readonly={onEdit === undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="relative min-h-64 flex-1 overflow-auto rounded border bg-card text-small focus-visible:outline-offset-0"
    >
      <div role="rowgroup" className="sticky top-0 z-10 h-9 bg-card" style={{ width: columns.getTotalSize() }}>
        <div role="row" aria-rowindex={1}>
          {headings.map(({ index, start, size }) => {
            const column = table.columns[index]
            const sorted = sort.find((by) => by.column === column?.name)
            if (!column) return null
            return (
              <div
                key={column.name}
                role="columnheader"
                aria-colindex={index + 1}
                aria-sort={sorted ? (sorted.descending ? 'descending' : 'ascending') : 'none'}
                className="absolute top-0 h-9 border-r border-b-3 border-b-foreground bg-card"
                style={{ left: start, width: size }}
              >
                <button
                  type="button"
                  title={`${column.name} ${column.type}: sort`}
                  className="flex size-full items-center gap-1.5 px-2 text-left hover:bg-accent"
                  onClick={() => onSort(column.name)}
                >
                  <span className="truncate font-strong">{column.name}</span>
                  <span className="truncate text-floor text-muted-foreground">{column.type}</span>
                  {sorted && (sorted.descending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
                </button>
              </div>
            )
          })}
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize(), width: columns.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const found = row(item.index)
          const key = found && keyOf(table, found)
          const name = key && rowName(key)
          const isDeleted = edits.some((edit) => edit.kind === 'delete' && edit.row === name)
          return (
            <div
              key={item.index}
              role="row"
              aria-rowindex={item.index + 2}
              className={cn('absolute top-0 left-0 w-full border-b', isDeleted && 'bg-destructive-wash line-through')}
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            >
              {headings.map(({ index, start, size }) => {
                const column = table.columns[index]
                if (!column) return null
                const place = { row: item.index, column: index }
                const isCurrent = current.row === item.index && current.column === index
                const change = name === undefined ? undefined : edited(edits, name, column.name)
                const value = change === undefined ? (found?.values[index] ?? null) : change
                const reference = references.get(column.name)
                return (
                  <div
                    key={column.name}
                    id={cellId(place)}
                    role="gridcell"
                    aria-colindex={index + 1}
                    aria-selected={isCurrent}
                    className={cn(
                      'absolute top-0 flex h-full items-center overflow-hidden border-r px-2 whitespace-nowrap',
                      change !== undefined && 'bg-warning-wash',
                      isCurrent && 'outline-2 -outline-offset-2 outline-ring',
                    )}
                    style={{ left: start, width: size }}
                    onMouseDown={() => {
                      if (!isEditing || !isCurrent) setCurrent(place)
                    }}
                    onDoubleClick={() => begin(place)}
                  >
                    {isEditing && isCurrent ? (
                      <CellEditor column={column} value={value} onCommit={commit} onCancel={() => setEditing(false)} />
                    ) : found ? (
                      <CellText
                        column={column}
                        value={value}
                        isCut={change === undefined && found.cut.has(index)}
                        onFollow={reference && typeof value === 'string' ? () => onFollow(column.name, value) : undefined}
                      />
                    ) : (
                      <span className="text-muted-foreground">…</span>
                    )}
                  </div>
                )
              })}
            </div>
          )
        })}
      </div>
    </div>
  )
}

const clamp = (index: number, count: number) => Math.min(Math.max(index, 0), Math.max(count - 1, 0))

function target(event: KeyboardEvent, { row, column }: Place, page: number, rows: number, columns: number): Place | undefined {
  const isFar = event.ctrlKey || event.metaKey
  switch (event.key) {
    case 'ArrowDown':
      return { row: isFar ? rows - 1 : row + 1, column }
    case 'ArrowUp':
      return { row: isFar ? 0 : row - 1, column }
    case 'ArrowRight':
      return { row, column: isFar ? columns - 1 : column + 1 }
    case 'ArrowLeft':
      return { row, column: isFar ? 0 : column - 1 }
    case 'PageDown':
      return { row: row + page, column }
    case 'PageUp':
      return { row: row - page, column }
    case 'Home':
      return { row: isFar ? 0 : row, column: 0 }
    case 'End':
      return { row: isFar ? rows - 1 : row, column: columns - 1 }
    default:
      return undefined
  }
}
