import type { ReactNode } from 'react'
import { useMedia } from '@/lib/use-media'
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@cloch/ui/components/table'
import { cn } from '@cloch/ui/lib/cn'
import { usePrinting } from './use-printing'
import { useWindowRows } from './use-window-rows'
import { VirtualList } from './VirtualList'

export interface Column<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** A control without text: its column's name is only for screen readers, and on a phone the control is placed before the lead cell. */
  quiet?: boolean
  /** On a phone it is placed before the lead cell, like a quiet one; in a table its name is shown. */
  before?: boolean
  /** The lead cell: on a phone it is first and large, without its name. */
  lead?: boolean
  /** A few small buttons: on a phone in the corner, beside the lead cell. */
  corner?: boolean
  /** Share of the width; default 1. Tables with the same shares have aligned columns. */
  share?: number
}

interface BlockTableProps<Row extends { id: string }> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Whether the row is struck through, because it is done. */
  isDone?: (row: Row) => boolean
  /** Short text of a row for phones: shown on one line below the lead cell, instead of a labelled line for each column. */
  brief?: (row: Row) => string
}

/** Number of rows from which only those near the window are rendered. */
const many = 60
/** On a tablet, columns have less space between them. */
const inset = 'px-2 lg:px-4'
const done = 'line-through text-muted-foreground'

/** A table; on phones each row is a block with labels. */
export function BlockTable<Row extends { id: string }>(props: BlockTableProps<Row>) {
  const wide = useMedia('(min-width: 48rem)')
  return wide ? <WideTable {...props} /> : <Blocks {...props} />
}

function Blocks<Row extends { id: string }>({ label, columns, rows, isDone, brief }: BlockTableProps<Row>) {
  const corner = columns.find((column) => column.corner)
  const before = columns.find((column) => column.quiet ?? column.before)
  const lead = columns.find((column) => column.lead)
  const briefBlock = (row: Row, words: string) => (
    <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center border-b py-1.5">
      <div className="-ml-3">{before?.cell(row)}</div>
      <div className={cn('[overflow-wrap:anywhere]', isDone?.(row) && done)}>
        <div className="line-clamp-2 leading-5 font-bold">{lead?.cell(row)}</div>
        <p className="truncate text-small leading-4.5 text-muted-foreground">{words}</p>
      </div>
      <div className="no-underline">{corner?.cell(row)}</div>
    </div>
  )
  const block = (row: Row) => (
    <div className="grid gap-1.5 border-b py-4">
      {columns.map((column) => {
        const shown = column === corner || column === before ? null : column.cell(row)
        // On a phone, empty values take no line.
        if (shown === null || shown === '-') return null
        return (
          <div
            key={column.name}
            className={cn(
              '[overflow-wrap:anywhere]',
              column.lead ? 'flex items-start justify-between gap-2 font-bold' : 'grid grid-cols-[7rem_1fr] items-center gap-2',
              isDone?.(row) && done,
            )}
          >
            {column.lead ? null : <span className="text-muted-foreground">{column.name}</span>}
            {column.lead && before ? <div className="-my-2 -ml-3 shrink-0">{before.cell(row)}</div> : null}
            <div className={column.lead ? 'grow' : undefined}>{shown}</div>
            {column.lead && corner ? <div className="-my-2 shrink-0 no-underline">{corner.cell(row)}</div> : null}
          </div>
        )
      })}
    </div>
  )
  const render = (row: Row) => (brief ? briefBlock(row, brief(row)) : block(row))
  if (rows.length >= many) {
    const estimate = brief ? 70 : 300
    return <VirtualList label={label} items={rows} keyOf={({ id }) => id} estimate={estimate} render={render} />
  }
  return (
    <ul aria-label={label}>
      {rows.map((row) => (
        <li key={row.id}>{render(row)}</li>
      ))}
    </ul>
  )
}

function WideTable<Row extends { id: string }>({ label, columns, rows, isDone }: BlockTableProps<Row>) {
  const printing = usePrinting()
  const enabled = rows.length >= many && !printing
  const { frame, top, near, virtualizer } = useWindowRows<Row, HTMLTableSectionElement>({
    items: rows,
    keyOf: ({ id }) => id,
    estimate: 66,
    enabled,
  })
  const shown = enabled ? near.map(({ index }) => index) : rows.map((_row, index) => index)
  const above = (near[0]?.start ?? top) - top
  const below = enabled ? virtualizer.getTotalSize() - ((near.at(-1)?.end ?? top) - top) : 0
  const isFixed = enabled || columns.some(({ share }) => share !== undefined)
  const shares = columns.reduce((sum, { share = 1 }) => sum + share, 0)
  return (
    <Table
      aria-label={label}
      aria-rowcount={enabled ? rows.length + 1 : undefined}
      className={isFixed ? 'table-fixed' : undefined}
    >
      <TableHead>
        <tr>
          {columns.map(({ name, share = 1, quiet }) => (
            <TableHeader key={name} className={inset} style={isFixed ? { width: `${(share / shares) * 100}%` } : undefined}>
              {quiet ? <span className="sr-only">{name}</span> : name}
            </TableHeader>
          ))}
        </tr>
      </TableHead>
      <TableBody ref={frame}>
        <Gap height={above} columns={columns.length} />
        {shown.map((index) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <TableRow
              key={row.id}
              ref={enabled ? virtualizer.measureElement : undefined}
              data-index={index}
              aria-rowindex={enabled ? index + 2 : undefined}
            >
              {columns.map(({ name, cell }) => (
                <TableCell key={name} className={cn('align-middle [overflow-wrap:anywhere]', inset, isDone?.(row) && done)}>
                  {cell(row)}
                </TableCell>
              ))}
            </TableRow>
          )
        })}
        <Gap height={below} columns={columns.length} />
      </TableBody>
    </Table>
  )
}

/** Empty space in place of rows that are not rendered. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  )
}
