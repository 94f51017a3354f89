import type { ReactNode } from 'react'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@cloch/ui/components/table'
import { cn } from '@cloch/ui/lib/cn'
import { hasContent } from '@/lib/has-content'

export interface Column<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** Whether the column contains numbers. They are aligned to the right and have digits of equal width. */
  isNumber?: boolean
  className?: string
  /** Whether the header cell is hidden. Screen readers still read it. */
  isHeadHidden?: boolean
  /**
   * Whether the cells contain buttons. The buttons are at the end of the row, beside its text, and do not make the row higher. If the table is too wide
   * for the window, they stay at its right edge.
   */
  hasButtons?: boolean
  /** What a phone shows in place of the value with its column's name: the value alone, beside the name of the row or on a line below it. */
  onPhone?: 'beside' | 'below' | 'hidden'
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
  'max-sm:static max-sm:max-w-full max-sm:min-w-0 max-sm:p-0 max-sm:text-left max-sm:empty:hidden',
  'max-sm:data-[label]:before:mr-1.5 max-sm:data-[label]:before:text-muted-foreground max-sm:data-[label]:before:content-[attr(data-label)]',
)

/** In a table that is wider than the window, the buttons cover the columns that scroll below them, and a line separates them. */
const buttonsCell = cn(
  'sticky right-0 py-0.5 text-right whitespace-nowrap max-xl:[&_button]:px-2 max-sm:-order-2 max-sm:-my-1.5 max-sm:-mr-2 max-sm:ml-auto',
  'sm:in-[[data-wide]]:border-l sm:in-[[data-wide]]:bg-background sm:in-[[data-wide]]:pl-1 sm:in-[dialog]:bg-popover',
)

const phonePlaces = {
  beside: 'max-sm:-order-2',
  below: 'max-sm:basis-full',
  hidden: 'max-sm:hidden',
}

/**
 * A table of at most a few hundred rows, with a line between rows. (For the rows of a database table, there is another component, a virtualised
 * grid.) On a phone, each row shows its name, and below it each value with its column's name. The ARIA roles are written explicitly, because browsers
 * remove the roles of a table if CSS changes its `display`.
 */
export function DataTable<Row>({ label, rows, columns, rowKey, isChosen }: DataTableProps<Row>) {
  // A column in which no row has a value takes space and says nothing.
  const shown = columns.filter(
    ({ cell, isHeadHidden }, index) =>
      index === 0 || isHeadHidden === true || rows.length === 0 || rows.some((row) => hasContent(cell(row))),
  )
  const first = shown.findIndex(({ isHeadHidden }) => !isHeadHidden)
  return (
    <Table
      aria-label={label}
      role="table"
      className="text-small max-sm:block max-sm:border-t-3 max-sm:border-foreground max-sm:[section_&]:border-t-0"
    >
      {/* A section already has a thick line at its top. There, the table head has only a thin line. */}
      <TableHead role="rowgroup" className="max-sm:hidden [section_&]:border-b [section_&]:border-input">
        <tr role="row">
          {shown.map(({ name, isNumber, isHeadHidden }) => (
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
              // On a phone, the name and the buttons are in the first line, and the values begin in the next one.
              'max-sm:before:-order-1 max-sm:before:basis-full',
              isChosen?.(row) && 'bg-secondary',
            )}
          >
            {shown.map(({ name, cell, isNumber, isHeadHidden, hasButtons, onPhone, className }, index) => (
              <TableCell
                key={name}
                role="cell"
                data-buttons={hasButtons ? '' : undefined}
                data-label={isHeadHidden || index === first || onPhone ? undefined : name}
                className={cn(
                  'px-3 py-2 align-baseline',
                  isNumber && 'text-right tabular-nums',
                  hasButtons && buttonsCell,
                  className,
                  phoneCell,
                  index <= first && 'max-sm:-order-3',
                  index === first && 'max-sm:grow',
                  onPhone === 'beside' && isNumber && 'max-sm:ml-auto',
                  onPhone && phonePlaces[onPhone],
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
