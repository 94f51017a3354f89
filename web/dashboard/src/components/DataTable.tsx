import type { ReactNode } from 'react'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@cloch/ui/components/table'
import { cn } from '@cloch/ui/lib/cn'

export interface Column<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** Whether the column contains numbers. They are aligned to the right and have digits of equal width. */
  isNumber?: boolean
  className?: string
  /** Whether the header cell is hidden. Screen readers still read it. */
  isHeadHidden?: boolean
  /** Whether the cells contain buttons. The buttons are at the end of the row, beside its text, and do not make the row higher. */
  hasButtons?: boolean
}

interface DataTableProps<Row> {
  /** Description of the table's content. It is the accessible name for screen readers. */
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string | number
  isChosen?: (row: Row) => boolean
}

const phoneCell = cn(
  'max-sm:max-w-full max-sm:min-w-0 max-sm:p-0 max-sm:text-left max-sm:empty:hidden',
  'max-sm:data-[label]:before:mr-1.5 max-sm:data-[label]:before:text-muted-foreground max-sm:data-[label]:before:content-[attr(data-label)]',
)

/**
 * A table of at most a few hundred rows, with a line between rows. (For the rows of a database table, there is another component, a virtualised
 * grid.) On a phone, each row shows its name, and below it each value with its column's name. The ARIA roles are written explicitly, because browsers
 * remove the roles of a table if CSS changes its `display`.
 */
export function DataTable<Row>({ label, rows, columns, rowKey, isChosen }: DataTableProps<Row>) {
  const first = columns.findIndex(({ isHeadHidden }) => !isHeadHidden)
  return (
    <Table
      aria-label={label}
      role="table"
      className="text-small max-sm:block max-sm:border-t-3 max-sm:border-foreground max-sm:[section_&]:border-t-0"
    >
      {/* A section already has a thick line at its top. There, the table head has only a thin line. */}
      <TableHead role="rowgroup" className="max-sm:hidden [section_&]:border-b [section_&]:border-input">
        <tr role="row">
          {columns.map(({ name, isNumber, isHeadHidden }) => (
            <TableHeader key={name} role="columnheader" className={cn('px-3 py-2 whitespace-nowrap', isNumber && 'text-right')}>
              {isHeadHidden ? <span className="sr-only">{name}</span> : name}
            </TableHeader>
          ))}
        </tr>
      </TableHead>
      <TableBody role="rowgroup" className="max-sm:block">
        {rows.map((row) => (
          <TableRow
            key={rowKey(row)}
            role="row"
            className={cn(
              'hover:bg-muted max-sm:flex max-sm:flex-wrap max-sm:items-baseline max-sm:gap-x-4 max-sm:gap-y-1 max-sm:py-2.5',
              isChosen?.(row) && 'bg-secondary',
            )}
          >
            {columns.map(({ name, cell, isNumber, isHeadHidden, hasButtons, className }, index) => (
              <TableCell
                key={name}
                role="cell"
                data-buttons={hasButtons ? '' : undefined}
                data-label={isHeadHidden || index === first ? undefined : name}
                className={cn(
                  'px-3 py-2 align-baseline',
                  isNumber && 'text-right tabular-nums',
                  hasButtons && 'py-0.5 text-right whitespace-nowrap max-sm:ml-auto',
                  className,
                  phoneCell,
                  index === first && (first === 0 ? 'max-sm:basis-full' : 'max-sm:flex-1 max-sm:basis-3/4'),
                )}
              >
                {cell(row)}
              </TableCell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}
