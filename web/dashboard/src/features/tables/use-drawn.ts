import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'
import type { TableColumn } from '@/lib/schema'
import type { Place } from './grid-keys'

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

/** As wide as what is in it, and as its name and type. */
const widthOf = (column: TableColumn | undefined) =>
  column === undefined
    ? 200
    : Math.max(
        widths[column.base] ?? 200,
        Math.min(head.most, head.letter * (column.name.length + column.type.length) + head.rest),
      )

/** The rows and columns in sight, which alone are drawn. */
export function useDrawn(
  frame: RefObject<HTMLElement | null>,
  total: number,
  columns: readonly TableColumn[],
  onRange: (from: number, to: number) => void,
) {
  const down = useVirtualizer({
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
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => widthOf(columns[index]),
    overscan: overscan.columns,
    useFlushSync: false,
  })
  return {
    rows: down.getVirtualItems(),
    columns: across.getVirtualItems(),
    height: down.getTotalSize(),
    width: across.getTotalSize(),
    /** Elements are used again for the rows that come into sight, instead of being made anew: so many of them. */
    slots: Math.ceil((down.scrollRect?.height ?? 0) / rowHeight) + 2 * overscan.rows + 2,
    /** Rows that the keys for a page move over. */
    page: () => Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2),
    show: ({ row, column }: Place) => {
      down.scrollToIndex(row)
      across.scrollToIndex(column)
    },
  }
}
