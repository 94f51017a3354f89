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
  /**
   * Whether the column contains a control without text. In a table, its name is only for screen readers. On a phone, the control is placed before the
   * lead cell.
   */
  quiet?: boolean
  /** Whether the cell is placed before the lead cell on a phone. In a table, the column's name is visible, unlike that of a `quiet` column. */
  before?: boolean
  /** Whether this is the lead cell. On a phone, the lead cell is first and large, and its column's name is not shown. */
  lead?: boolean
  /** Whether the column contains a few small buttons. On a phone, they are in the corner, beside the lead cell. */
  corner?: boolean
  /** Share of the width, by default 1. If two tables have the same shares, their columns are aligned. */
  share?: number
}

interface BlockTableProps<Row extends { id: string }> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Whether the row is finished. Then it is struck through. */
  isDone?: (row: Row) => boolean
  /** A short text for phones. It is shown below the lead cell on one line, in place of one line for each column. */
  brief?: (row: Row) => string
}

/** If there are at least this many rows, only those near the visible area are rendered. */
const many = 60
/** On a tablet, columns have less space between them, and their text is smaller. */
const inset = 'px-2 max-xl:text-small xl:px-4'
/** A button or checkbox without text is smaller than the area that reacts to a click. Its icon, not this area, is below the column's name. */
const bare = 'md:*:-ml-3'
const done = 'line-through text-muted-foreground'

/** A table. On phones, each row is a block in which each value has a label. */
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
        {words === '' ? null : <p className="truncate text-small leading-4.5 text-muted-foreground">{words}</p>}
      </div>
      <div className="no-underline">{corner?.cell(row)}</div>
    </div>
  )
  const block = (row: Row) => (
    <div className="grid gap-1.5 border-b py-4">
      {columns.map((column) => {
        const shown = column === corner || column === before ? null : column.cell(row)
        // On a phone, an empty value is left out.
        if (shown === null || shown === '-') return null
        return (
          <div
            key={column.name}
            className={cn(
              '[overflow-wrap:anywhere]',
              column.lead
                ? 'flex items-start justify-between gap-2 font-bold'
                : 'grid grid-cols-[7rem_1fr] items-baseline gap-2',
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
              {columns.map(({ name, cell, before, corner }) => (
                <TableCell
                  key={name}
                  className={cn(
                    'align-middle [overflow-wrap:anywhere]',
                    inset,
                    (before ?? corner) && bare,
                    isDone?.(row) && done,
                  )}
                >
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

/** Empty space that has the height of the rows which are not rendered. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  )
}
