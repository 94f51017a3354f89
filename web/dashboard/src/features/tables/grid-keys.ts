/** Keyboard navigation in the grid, and the keys of rows. This module has no side effects. */
import type { TableColumn, TableDetail } from '@/lib/schema'
import type { Key } from './edits'
import type { Row } from './use-rows'

/** A cell of the grid: its row and its column, both counted from 0. */
export interface Place {
  row: number
  column: number
}

/** The columns whose values refer to a row of another table. */
export const linked = (table: TableDetail) =>
  new Map(
    table.foreign_keys.flatMap((reference) =>
      reference.columns.length === 1 ? [[reference.columns[0] ?? '', reference]] : [],
    ),
  )

/** Whether the column's values can be set only by the database. */
export const isFixed = (column: TableColumn) => column.generated || column.identity === 'always'

/** The values that identify a row. `undefined` if the table has no key, or if only a part of a key value has been read. */
export function keyOf(table: TableDetail, row: Row): Key | undefined {
  if (table.key.length === 0) return undefined
  const pairs = table.key.map((name) => {
    const place = table.columns.findIndex((column) => column.name === name)
    return [name, row.cut.has(place) ? null : row.values[place]] as const
  })
  return pairs.every(([, value]) => typeof value === 'string') ? (Object.fromEntries(pairs) as Key) : undefined
}

/** Returns the existing index that is nearest to the given one. If there is none, returns 0. */
export const clamp = (index: number, count: number) => Math.min(Math.max(index, 0), Math.max(count - 1, 0))

/**
 * The cell to which a key press moves. It may be outside the grid. `undefined` for other keys.
 * @param page number of rows by which Page Up and Page Down move
 */
export function target(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>,
  { row, column }: Place,
  page: number,
  rows: number,
  columns: number,
): Place | undefined {
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

/** Whether a key press means undo or redo. */
export function stepKey(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>): 'undo' | 'redo' | undefined {
  if (!event.ctrlKey && !event.metaKey) return undefined
  const key = event.key.toLowerCase()
  if (key === 'y') return 'redo'
  return key === 'z' ? (event.shiftKey ? 'redo' : 'undo') : undefined
}

/** The cell in which an event occurred. It is read from the attributes of the elements of the row and the cell. */
export function placeOf(element: EventTarget): Place | undefined {
  const cell = element instanceof Element ? element.closest('[role=gridcell]') : null
  const number = (from: Element | null | undefined, name: string) => Number(from?.getAttribute(name))
  if (!cell) return undefined
  return { row: number(cell.closest('[role=row]'), 'aria-rowindex') - 2, column: number(cell, 'aria-colindex') - 1 }
}
