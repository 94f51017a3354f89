import type { ReactNode } from 'react'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@cloch/ui/components/table'
import { cn } from '@cloch/ui/lib/cn'

export interface Column<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** Figures stand right, in figures of one width. */
  isNumber?: boolean
  className?: string
  /** Its head is read out but not drawn. */
  isHeadHidden?: boolean
  /** Its cells hold buttons: they stand at the row’s end, on the line of its words, and make the row no higher than they are. */
  hasButtons?: boolean
}

interface DataTableProps<Row> {
  /** What the table holds: its name for readers of the screen. */
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string | number
  isChosen?: (row: Row) => boolean
}

/** A list of some hundred rows at most, on rules like a timetable; a grid of a table's rows is virtualised and another part. */
export function DataTable<Row>({ label, rows, columns, rowKey, isChosen }: DataTableProps<Row>) {
  return (
    <Table aria-label={label} className="text-small">
      {/* Under a section’s own rule the head has a thin one: never two bands. */}
      <TableHead className="[section_&]:border-b [section_&]:border-input">
        <tr>
          {columns.map(({ name, isNumber, isHeadHidden }) => (
            <TableHeader key={name} className={cn('px-3 py-2 whitespace-nowrap', isNumber && 'text-right')}>
              {isHeadHidden ? <span className="sr-only">{name}</span> : name}
            </TableHeader>
          ))}
        </tr>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <TableRow key={rowKey(row)} className={cn('hover:bg-muted', isChosen?.(row) && 'bg-secondary')}>
            {columns.map(({ name, cell, isNumber, hasButtons, className }) => (
              <TableCell
                key={name}
                className={cn(
                  'px-3 py-2 align-baseline',
                  isNumber && 'text-right tabular-nums',
                  hasButtons && 'py-0.5 text-right whitespace-nowrap',
                  className,
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
