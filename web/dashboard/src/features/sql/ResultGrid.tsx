import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { StatementResult } from './model'

/** Height of a row and width of a column in pixels. */
const [rowHeight, columnWidth] = [30, 190]

/** The rows of a result. Only visible rows are rendered. */
export function ResultGrid({ result: { columns, rows, cut } }: { result: StatementResult }) {
  const frame = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => frame.current,
    estimateSize: () => columnWidth,
    overscan: 3,
  })
  const isCut = (row: number, column: number) => cut.some(([at, of]) => at === row && of === column)
  return (
    <div
      ref={frame}
      role="table"
      aria-label="Result"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      tabIndex={0}
      className="min-h-32 flex-1 overflow-auto rounded border bg-card text-small focus-visible:outline-offset-0"
    >
      <div role="rowgroup" className="sticky top-0 z-10 h-9 bg-card" style={{ width: across.getTotalSize() }}>
        <div role="row" aria-rowindex={1}>
          {across.getVirtualItems().map(({ index, start, size }) => (
            <div
              key={index}
              role="columnheader"
              aria-colindex={index + 1}
              className="absolute top-0 flex h-9 items-center gap-1.5 border-r border-b-3 border-b-foreground bg-card px-2"
              style={{ left: start, width: size }}
            >
              <span className="truncate font-strong">{columns[index]?.name}</span>
              <span className="truncate text-floor text-muted-foreground">{columns[index]?.type}</span>
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: list.getTotalSize(), width: across.getTotalSize() }}>
        {list.getVirtualItems().map((item) => (
          <div
            key={item.index}
            role="row"
            aria-rowindex={item.index + 2}
            className="absolute top-0 left-0 w-full border-b"
            style={{ height: item.size, transform: `translateY(${item.start}px)` }}
          >
            {across.getVirtualItems().map(({ index, start, size }) => {
              const value = rows[item.index]?.[index] ?? null
              return (
                <div
                  key={index}
                  role="cell"
                  aria-colindex={index + 1}
                  className="absolute top-0 flex h-full items-center overflow-hidden border-r px-2"
                  style={{ left: start, width: size }}
                  title={value?.slice(0, 2000)}
                >
                  {value === null ? (
                    <span className="text-muted-foreground">null</span>
                  ) : (
                    <span className="truncate">
                      {value.slice(0, 300)}
                      {isCut(item.index, index) && ' …'}
                    </span>
                  )}
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </div>
  )
}
