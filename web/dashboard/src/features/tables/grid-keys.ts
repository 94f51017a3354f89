/** Where the keys of the grid lead, and what names a row; a pure part. */
import type { TableColumn, TableDetail } from '@/lib/schema'
import type { Key } from './edits'
import type { Row } from './use-rows'

/** A cell, counted from the first row and column. */
export interface Place {
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

/** Whether the database makes the values, and takes none. */
export const isFixed = (column: TableColumn) => column.generated || column.identity === 'always'

/** What a row is found by; none where the table has no key, or its value is not whole. */
export function keyOf(table: TableDetail, row: Row): Key | undefined {
  if (table.key.length === 0) return undefined
  const pairs = table.key.map((name) => {
    const place = table.columns.findIndex((column) => column.name === name)
    return [name, row.cut.has(place) ? null : row.values[place]] as const
  })
  return pairs.every(([, value]) => typeof value === 'string') ? (Object.fromEntries(pairs) as Key) : undefined
}

/** An index that is there; 0 where there is none. */
export const clamp = (index: number, count: number) => Math.min(Math.max(index, 0), Math.max(count - 1, 0))

/** The cell that a key leads to, which may be outside; none for other keys. @param page rows of a page */
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

/** Whether the keys undo the last step of edits, or do again what was undone. */
export function stepKey(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>): 'undo' | 'redo' | undefined {
  if (!event.ctrlKey && !event.metaKey) return undefined
  const key = event.key.toLowerCase()
  if (key === 'y') return 'redo'
  return key === 'z' ? (event.shiftKey ? 'redo' : 'undo') : undefined
}

/** The cell in which something happened, by what the row and the cell say of themselves. */
export function placeOf(element: EventTarget): Place | undefined {
  const cell = element instanceof Element ? element.closest('[role=gridcell]') : null
  const number = (from: Element | null | undefined, name: string) => Number(from?.getAttribute(name))
  if (!cell) return undefined
  return { row: number(cell.closest('[role=row]'), 'aria-rowindex') - 2, column: number(cell, 'aria-colindex') - 1 }
}
