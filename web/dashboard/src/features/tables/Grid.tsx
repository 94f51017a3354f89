import { useVirtualizer } from '@tanstack/react-virtual'
import { PanelRightOpen } from 'lucide-react'
import { useId, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { formatCount } from '@/lib/format'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { byRow, rowName, type Edit, type Value } from './edits'
import { clamp, keyOf, linked, placeOf, target, type Place } from './grid-keys'
import { GridHead } from './GridHead'
import { GridRow } from './GridRow'
import type { Sort } from './model'
import type { Row } from './use-rows'

/** Pixels of a row. A million of them is the most that browsers draw. */
const rowHeight = 32
/** Rows and columns beyond the edges that are drawn as well. */
const overscan = { rows: 4, columns: 1 }
/** Pixels of a column by what is in it. */
const widths: Partial<Record<TableColumn['base'], number>> = {
  number: 120,
  boolean: 100,
  uuid: 308,
  json: 280,
  timestamptz: 240,
}
/** Pixels of a letter of a column's head, of what is beside its name and type, and of the widest that is made for them. */
const head = { letter: 8, rest: 30, most: 280 }
const none: readonly Edit[] = []

/** As wide as what is in it, and as its name and type. */
const widthOf = (column: TableColumn | undefined) =>
  column === undefined
    ? 200
    : Math.max(
        widths[column.base] ?? 200,
        Math.min(head.most, head.letter * (column.name.length + column.type.length) + head.rest),
      )

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

/** Rows and columns of which those in sight are drawn. One cell is current: keys move it, Enter edits it, Control+Enter follows it. */
export function Grid({ table, total, row, sort, onSort, edits, onEdit, onRange, onOpen, onFollow }: GridProps) {
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<Place>({ row: 0, column: 0 })
  const [isEditing, setEditing] = useState(false)
  const references = useMemo(() => linked(table), [table])
  const editsByRow = useMemo(() => byRow(edits), [edits])
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: overscan.rows,
    // Several movements within a frame are drawn once, together with the rows that have come.
    useFlushSync: false,
    onChange: ({ range }) => {
      if (range) onRange(range.startIndex, range.endIndex)
    },
  })
  const columns = useVirtualizer({
    horizontal: true,
    count: table.columns.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => widthOf(table.columns[index]),
    overscan: overscan.columns,
    useFlushSync: false,
  })

  const begin = ({ row: index, column: at }: Place) => {
    const [found, column] = [row(index), table.columns[at]]
    if (!found || !column) return
    const isFixed = column.generated || column.identity === 'always'
    if (!onEdit || isFixed || found.cut.has(at) || !keyOf(table, found)) onOpen(found)
    else setEditing(true)
  }
  const leave = (step: number) => {
    setEditing(false)
    if (step !== 0) move({ row: current.row, column: current.column + step })
    frame.current?.focus()
  }
  const commit = (value: Value, step: number) => {
    const [found, column] = [row(current.row), table.columns[current.column]]
    const key = found && keyOf(table, found)
    leave(step)
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
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) follow(current)
    else if (event.key === 'Enter' || event.key === 'F2') begin(current)
    else if (event.key === ' ') {
      const found = row(current.row)
      if (found) onOpen(found)
    } else return
    event.preventDefault()
  }
  const onMouseDown = ({ target }: MouseEvent) => {
    const place = placeOf(target)
    const isSame = place?.row === current.row && place.column === current.column
    if (place && !(isEditing && isSame)) setCurrent(place)
  }
  const onDoubleClick = ({ target }: MouseEvent) => {
    const place = placeOf(target)
    if (place) begin(place)
  }
  const onClick = ({ target }: MouseEvent) => {
    const place = target instanceof Element && target.closest('button') ? placeOf(target) : undefined
    if (place) follow(place)
  }
  const follow = ({ row: index, column: at }: Place) => {
    const [found, column] = [row(index), table.columns[at]]
    if (!found || !column || !references.has(column.name)) return
    const key = keyOf(table, found)
    const changed = key && editsByRow.get(rowName(key))?.findLast((edit) => edit.kind === 'set' && edit.column === column.name)
    const value = changed?.kind === 'set' ? changed.value : found.values[at]
    if (typeof value === 'string') onFollow(column.name, value)
  }
  const headings = columns.getVirtualItems()
  // Elements are used again for the rows that come into sight, instead of being made anew.
  const slots = Math.ceil((rows.scrollRect?.height ?? 0) / rowHeight) + 2 * overscan.rows + 2
  const editsOf = (found: Row | undefined) => {
    const key = found && editsByRow.size > 0 ? keyOf(table, found) : undefined
    return (key && editsByRow.get(rowName(key))) ?? none
  }
  const chosen = row(current.row)
  return (
    <>
      <div
        ref={frame}
        role="grid"
        aria-label={`Rows of ${table.name}`}
        aria-rowcount={total + 1}
        aria-colcount={table.columns.length}
        aria-activedescendant={total > 0 ? `${id}-${current.row}-${current.column}` : undefined}
        aria-readonly={onEdit === undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseDown={onMouseDown}
        onDoubleClick={onDoubleClick}
        onClick={onClick}
        className="relative min-h-64 flex-1 overflow-auto rounded border bg-card text-small focus-visible:outline-offset-0"
      >
        <GridHead table={table} columns={headings} width={columns.getTotalSize()} sort={sort} onSort={onSort} />
        <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize(), width: columns.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start, size }) => {
            const found = row(index)
            const isCurrent = current.row === index
            return (
              <GridRow
                key={index % slots}
                id={id}
                table={table}
                index={index}
                start={start}
                size={size}
                row={found}
                columns={headings}
                references={references}
                edits={editsOf(found)}
                current={isCurrent ? current.column : undefined}
                isEditing={isCurrent && isEditing}
                onCommit={isCurrent && isEditing ? commit : ignore}
                onCancel={isCurrent && isEditing ? leave : ignore}
              />
            )
          })}
        </div>
      </div>
      <div role="group" aria-label="Current row" className="flex flex-wrap items-center gap-3 text-small">
        <span className="tabular-nums">Row {formatCount(current.row + 1)}</span>
        <Button variant="outline" size="compact" disabled={!chosen} onClick={() => chosen && onOpen(chosen)}>
          <PanelRightOpen aria-hidden />
          Open the row
        </Button>
      </div>
    </>
  )
}

const ignore = () => undefined
