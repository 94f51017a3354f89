import type { VirtualItem } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo } from 'react'
import type { TableDetail } from '@/lib/schema'
import type { Sort } from './model'

interface GridHeadProps {
  table: TableDetail
  /** The visible columns. */
  columns: readonly VirtualItem[]
  /** Total width of all columns in pixels. */
  width: number
  sort: readonly Sort[]
  onSort: (column: string) => void
}

/** The header row of the grid. A click on the name of a column sorts the rows by this column. */
export const GridHead = memo(function GridHead({ table, columns, width, sort, onSort }: GridHeadProps) {
  return (
    <div role="rowgroup" className="sticky top-0 z-10 h-9 bg-card" style={{ width }}>
      <div role="row" aria-rowindex={1}>
        {columns.map(({ index, start, size }) => {
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
                <span className="max-w-full shrink-0 truncate font-strong">{column.name}</span>
                <span className="truncate text-floor text-muted-foreground">{column.type}</span>
                {sorted && (sorted.descending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
              </button>
            </div>
          )
        })}
      </div>
    </div>
  )
})
