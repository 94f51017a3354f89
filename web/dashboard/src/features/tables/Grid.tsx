import { PanelRightOpen } from 'lucide-react'
import { useId, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { formatCount } from '@/lib/format'
import type { Reference, TableDetail } from '@/lib/schema'
import { blockWords } from './block'
import { byRow, edited, rowName, type Edit, type Value } from './edits'
import { isFixed, keyOf, linked, placeOf, stepKey, target, type Place } from './grid-keys'
import { GridHead } from './GridHead'
import { GridRow } from './GridRow'
import type { Sort } from './model'
import { useBlock } from './use-block'
import { useClipboard } from './use-clipboard'
import { useDrawn } from './use-drawn'
import type { Row } from './use-rows'

const none: readonly Edit[] = []

/** The open list of rows for a foreign key: the column, the referenced table, the current value, and the callback for the chosen value. */
export interface Choice {
  column: string
  reference: Reference
  value: string | null
  take: (value: string) => void
}

interface GridProps {
  table: TableDetail
  total: number
  row: (index: number) => Row | undefined
  /** Returns a row that has been read, even if it is not visible. `undefined` if the row has not been read. */
  loaded: (index: number) => Row | undefined
  sort: readonly Sort[]
  onSort: (column: string) => void
  edits: readonly Edit[]
  /** Applies edits as one step. `undefined` if the rows are read-only. */
  onEdit: ((edits: readonly Edit[]) => void) | undefined
  onUndo: () => void
  onRedo: () => void
  onRange: (from: number, to: number) => void
  onOpen: (row: Row) => void
  onFollow: (column: string, value: string) => void
  onChoose: (choice: Choice) => void
}

/**
 * The grid of rows. Only visible rows and columns are rendered. One cell is the current cell: arrow keys move to another cell, with Shift they select
 * a block of cells, Enter edits the cell, and Control+Enter opens the row to which its value refers.
 */
export function Grid(props: GridProps) {
  const { table, total, row, loaded, sort, onSort, edits, onEdit, onUndo, onRedo, onRange, onOpen, onFollow, onChoose } = props
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const { current, block, isMany, go } = useBlock(total, table.columns.length)
  const [isEditing, setEditing] = useState(false)
  const references = useMemo(() => linked(table), [table])
  const editsByRow = useMemo(() => byRow(edits), [edits])
  const drawn = useDrawn(frame, total, table.columns, onRange)
  const editsOf = (found: Row | undefined) => {
    const key = found && editsByRow.size > 0 ? keyOf(table, found) : undefined
    return (key && editsByRow.get(rowName(key))) ?? none
  }
  const clipboard = useClipboard(frame, { table, total, row: loaded, editsOf }, { block, isMany }, onEdit)

  const at = ({ row: index, column }: Place) => ({ found: row(index), column: table.columns[column] })
  const move = (next: Place, isExtending = false) => drawn.show(go(next, isExtending))
  const begin = (place: Place) => {
    const { found, column } = at(place)
    if (!found || !column) return
    if (!onEdit || isFixed(column) || found.cut.has(place.column) || !keyOf(table, found)) onOpen(found)
    else {
      go(place)
      setEditing(true)
    }
  }
  const leave = (step: number) => {
    setEditing(false)
    if (step !== 0) move({ row: current.row, column: current.column + step })
    frame.current?.focus()
  }
  const put = (place: Place, value: Value) => {
    const { found, column } = at(place)
    const key = found && keyOf(table, found)
    if (key && column) onEdit?.([{ kind: 'set', row: rowName(key), key, column: column.name, value }])
  }
  const commit = (value: Value, step: number) => {
    leave(step)
    put(current, value)
  }
  const valueAt = (place: Place) => {
    const { found, column } = at(place)
    const change = column && edited(editsOf(found), column.name)
    const value = change === undefined ? found?.values[place.column] : change
    return typeof value === 'string' ? value : null
  }
  const follow = (place: Place) => {
    const { column } = at(place)
    const value = valueAt(place)
    if (column && references.has(column.name) && value !== null) onFollow(column.name, value)
  }
  const choose = (place: Place) => {
    const { found, column } = at(place)
    const reference = column && references.get(column.name)
    if (!onEdit || !found || !reference || isFixed(column) || !keyOf(table, found)) return
    onChoose({ column: column.name, reference, value: valueAt(place), take: (value) => put(place, value) })
  }
  const chooseInstead = () => {
    leave(0)
    choose(current)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== frame.current) return
    const to = event.altKey ? undefined : target(event, current, drawn.page(), total, table.columns.length)
    const step = stepKey(event)
    if (to) move(to, event.shiftKey)
    else if (event.altKey && event.key === 'ArrowDown') choose(current)
    else if (step) (step === 'undo' ? onUndo : onRedo)()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) follow(current)
    else if (event.key === 'Enter' || event.key === 'F2') begin(current)
    else if (event.key === 'Delete') clipboard.empty()
    else if (event.key === 'Escape' && isMany) go(current)
    else if (event.key === ' ') {
      const found = row(current.row)
      if (found) onOpen(found)
    } else return
    event.preventDefault()
  }
  const onMouseDown = (event: MouseEvent) => {
    const place = placeOf(event.target)
    const isSame = place?.row === current.row && place.column === current.column
    if (!place || (isEditing && isSame)) return
    go(place, event.shiftKey)
    if (!event.shiftKey) return
    // Without this, the browser would select the text between the cells.
    event.preventDefault()
    frame.current?.focus()
  }
  const onDoubleClick = ({ target }: MouseEvent) => {
    const place = placeOf(target)
    if (place) begin(place)
  }
  const onClick = ({ target }: MouseEvent) => {
    const place = target instanceof Element && target.closest('button') ? placeOf(target) : undefined
    if (place) follow(place)
  }
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
        aria-multiselectable
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseDown={onMouseDown}
        onDoubleClick={onDoubleClick}
        onClick={onClick}
        className="relative min-h-64 flex-1 overflow-auto rounded border bg-card text-small focus-visible:outline-offset-0"
      >
        <GridHead table={table} columns={drawn.columns} width={drawn.width} sort={sort} onSort={onSort} />
        <div role="rowgroup" className="relative" style={{ height: drawn.height, width: drawn.width }}>
          {drawn.rows.map(({ index, start, size }) => {
            const found = row(index)
            const isCurrent = current.row === index
            const isChosen = isMany && block.rows[0] <= index && index <= block.rows[1]
            return (
              <GridRow
                key={index % drawn.slots}
                id={id}
                table={table}
                index={index}
                start={start}
                size={size}
                row={found}
                columns={drawn.columns}
                references={references}
                edits={editsOf(found)}
                current={isCurrent ? current.column : undefined}
                chosen={isChosen ? block.columns : undefined}
                isEditing={isCurrent && isEditing}
                onCommit={isCurrent && isEditing ? commit : ignore}
                onCancel={isCurrent && isEditing ? leave : ignore}
                onChoose={isCurrent && isEditing ? chooseInstead : ignore}
              />
            )
          })}
        </div>
      </div>
      <CurrentRow
        index={current.row}
        chosen={isMany ? blockWords(block) : undefined}
        onOpen={() => {
          const found = row(current.row)
          if (found) onOpen(found)
        }}
        isLoaded={row(current.row) !== undefined}
      />
    </>
  )
}

const ignore = () => undefined

interface CurrentRowProps {
  index: number
  /** The size of the selected block, as a text. */
  chosen: string | undefined
  isLoaded: boolean
  onOpen: () => void
}

/** Announces the current row and the selected block to screen readers. Has the button that opens the row, for users without a keyboard. */
function CurrentRow({ index, chosen, isLoaded, onOpen }: CurrentRowProps) {
  return (
    <div role="group" aria-label="Current row" className="flex flex-wrap items-center gap-3 text-small">
      <span className="tabular-nums">Row {formatCount(index + 1)}</span>
      <Button variant="outline" size="compact" disabled={!isLoaded} onClick={onOpen}>
        <PanelRightOpen aria-hidden />
        Open the row
      </Button>
      <span role="status" className="text-muted-foreground tabular-nums">
        {chosen !== undefined && `${chosen} chosen`}
      </span>
    </div>
  )
}
