import type { VirtualItem } from '@tanstack/react-virtual'
import { memo } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import type { Reference, TableDetail } from '@/lib/schema'
import { CellEditor } from './CellEditor'
import type { Range } from './block'
import { CellText } from './CellText'
import { edited, type Edit, type Value } from './edits'
import type { Row } from './use-rows'

interface GridRowProps {
  /** Prefix for the ids of the cells. */
  id: string
  table: TableDetail
  index: number
  /** Distance from the top of the grid, and height of the row, in pixels. */
  start: number
  size: number
  /** The row. `undefined` while it is being read. */
  row: Row | undefined
  /** The visible columns. */
  columns: readonly VirtualItem[]
  references: ReadonlyMap<string, Reference>
  /** Unsaved edits of this row. */
  edits: readonly Edit[]
  /** Index of the current cell's column. `undefined` if the current cell is in another row. */
  current: number | undefined
  /** Columns of the selected block. `undefined` if this row is not in the block. */
  chosen: Range | undefined
  isEditing: boolean
  onCommit: (value: Value, step: number) => void
  onCancel: (step: number) => void
  /** Opens the list of rows for a foreign key. */
  onChoose: () => void
}

/**
 * One row of the grid. It is rendered again only if its own data has changed, so that scrolling is fast. The cells have no event listeners: the grid
 * handles the clicks for all of them.
 */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { id, table, index, start, size, row, columns, references, edits, current, chosen, isEditing } = props
  const isDeleted = edits.some(({ kind }) => kind === 'delete')
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={cn('absolute top-0 left-0 w-full border-b contain-strict', isDeleted && 'bg-destructive-wash line-through')}
      style={{ height: size, transform: `translateY(${start}px)` }}
    >
      {columns.map((place) => {
        const column = table.columns[place.index]
        if (!column) return null
        const isCurrent = current === place.index
        const isChosen = chosen !== undefined && chosen[0] <= place.index && place.index <= chosen[1]
        const isLink = references.has(column.name)
        const change = edited(edits, column.name)
        const value = change === undefined ? (row?.values[place.index] ?? null) : change
        return (
          <div
            key={place.index}
            id={`${id}-${index}-${place.index}`}
            role="gridcell"
            aria-colindex={place.index + 1}
            aria-selected={isCurrent || isChosen}
            className={
              isCurrent || isChosen || change !== undefined ? cn(cell, looks(isCurrent, isChosen, change !== undefined)) : cell
            }
            style={{ left: place.start, width: place.size }}
          >
            {isEditing && isCurrent ? (
              <CellEditor
                key={index}
                column={column}
                value={value}
                onCommit={props.onCommit}
                onCancel={props.onCancel}
                onChoose={isLink ? props.onChoose : undefined}
              />
            ) : row ? (
              <CellText
                column={column}
                value={value}
                isCut={change === undefined && row.cut.has(place.index)}
                isLink={isLink}
              />
            ) : (
              <span className="text-muted-foreground">…</span>
            )}
          </div>
        )
      })}
    </div>
  )
})

const cell = 'absolute top-0 flex h-full items-center overflow-hidden border-r px-2 whitespace-nowrap'

const looks = (isCurrent: boolean, isChosen: boolean, isChanged: boolean) =>
  cn(
    isChosen && 'bg-accent shadow-[inset_0_0_0_1px_var(--ring)]',
    isChanged && 'bg-warning-wash',
    isCurrent && 'outline-2 -outline-offset-2 outline-ring',
  )
