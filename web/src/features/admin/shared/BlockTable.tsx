import type { ReactNode } from 'react'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@/components/ui/table'
import { cn } from '@/lib/cn'
import { useMedia } from '@/lib/use-media'

export interface Column<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** Stands first and large on a phone, without its name. */
  lead?: boolean
}

interface BlockTableProps<Row extends { id: string }> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Struck through: dealt with. */
  isDone?: (row: Row) => boolean
}

const done = 'line-through text-muted-foreground'

/** A table where there is room for one; on phones each row is a block with labels. */
export function BlockTable<Row extends { id: string }>({ label, columns, rows, isDone }: BlockTableProps<Row>) {
  const wide = useMedia('(min-width: 48rem)')
  const doneClass = (row: Row) => (isDone?.(row) ? done : undefined)
  if (!wide) {
    return (
      <ul aria-label={label}>
        {rows.map((row) => (
          <li key={row.id} className="grid gap-1.5 border-b py-4">
            {columns.map(({ name, cell, lead }) => (
              <div
                key={name}
                className={cn(
                  '[overflow-wrap:anywhere]',
                  lead ? 'font-bold' : 'grid grid-cols-[7rem_1fr] items-center gap-2',
                  doneClass(row),
                )}
              >
                {lead ? null : <span className="text-muted-foreground">{name}</span>}
                <div>{cell(row)}</div>
              </div>
            ))}
          </li>
        ))}
      </ul>
    )
  }
  return (
    <Table aria-label={label}>
      <TableHead>
        <tr>
          {columns.map(({ name }) => (
            <TableHeader key={name}>{name}</TableHeader>
          ))}
        </tr>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <TableRow key={row.id}>
            {columns.map(({ name, cell }) => (
              <TableCell key={name} className={cn('align-middle break-words', doneClass(row))}>
                {cell(row)}
              </TableCell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}
