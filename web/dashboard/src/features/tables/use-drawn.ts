import { useVirtualizer } from '@tanstack/react-virtual'
import type { RefObject } from 'react'
import type { TableColumn } from '@/lib/schema'
import type { Place } from './grid-keys'

/** Height of a row in pixels. With this height, a million rows are almost as high as the highest element that browsers can show. */
const rowHeight = 32
/** Number of rows and columns that are rendered outside the visible area, on each side. */
const overscan = { rows: 4, columns: 1 }
/** Width of a column in pixels, by its type. */
const widths: Partial<Record<TableColumn['base'], number>> = {
  number: 120,
  boolean: 100,
  uuid: 308,
  json: 280,
  timestamptz: 240,
}
/** Numbers for the width of a header in pixels: per letter, for the rest of the header, and the maximum width. */
const head = { letter: 8, rest: 30, most: 280 }

/** The width of a column. It is large enough for the values of its type, for its name and for the name of the type. */
const widthOf = (column: TableColumn | undefined) =>
  column === undefined
    ? 200
    : Math.max(
        widths[column.base] ?? 200,
        Math.min(head.most, head.letter * (column.name.length + column.type.length) + head.rest),
      )

/** The rows and columns that are visible. Only these are rendered. */
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
    // With `false`, several scroll events within a frame are rendered only once, together with rows that have arrived.
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
    /** Number of elements for rows. When the user scrolls, the elements are used for other rows and not created again. */
    slots: Math.ceil((down.scrollRect?.height ?? 0) / rowHeight) + 2 * overscan.rows + 2,
    /** Number of rows by which Page Up and Page Down move. */
    page: () => Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2),
    show: ({ row, column }: Place) => {
      down.scrollToIndex(row)
      across.scrollToIndex(column)
    },
  }
}
