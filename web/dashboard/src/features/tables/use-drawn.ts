import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'
import type { TableColumn } from '@/lib/schema'
import type { Place } from './grid-keys'

/** Height of a row in pixels. A million rows of this height is the most that browsers can show. */
const rowHeight = 32
/** Number of rows and columns outside the visible area that are rendered too. */
const overscan = { rows: 4, columns: 1 }
/** Width of a column in pixels, by its type. */
const widths: Partial<Record<TableColumn['base'], number>> = {
  number: 120,
  boolean: 100,
  uuid: 308,
  json: 280,
  timestamptz: 240,
}
/** For the width of a header: pixels per letter, pixels for the rest of the header, and maximum width. */
const head = { letter: 8, rest: 30, most: 280 }

/** Width of a column: enough for its type's values, its name and its type. */
const widthOf = (column: TableColumn | undefined) =>
  column === undefined
    ? 200
    : Math.max(
        widths[column.base] ?? 200,
        Math.min(head.most, head.letter * (column.name.length + column.type.length) + head.rest),
      )

/** The visible rows and columns, which are the only rendered ones. */
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
    // Several scroll events within a frame are rendered once, together with rows that have arrived.
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
    /** Number of row elements. They are reused for rows that become visible, instead of being created again. */
    slots: Math.ceil((down.scrollRect?.height ?? 0) / rowHeight) + 2 * overscan.rows + 2,
    /** Number of rows by which Page Up and Page Down move. */
    page: () => Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2),
    show: ({ row, column }: Place) => {
      down.scrollToIndex(row)
      across.scrollToIndex(column)
    },
  }
}
