import { KeyRound, Link2 } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'react-router'
import { cn } from '@cloch/ui/lib/cn'
import { HEAD_HEIGHT, ROW_HEIGHT, type TableBox } from './drawing'

interface TableCardProps {
  box: TableBox
  /** Whether the columns are shown, which requires that they are large enough to read. Otherwise the name fills the box. */
  hasColumns: boolean
  /** Font size of the name, in pixels of the drawing. */
  nameSize: number
  state: 'plain' | 'active' | 'faded'
  onActive: (id: string | undefined) => void
  /** Called when the table gets the keyboard focus. */
  onFocus: (box: TableBox) => void
}

/** A table in the diagram. A click anywhere on the box opens the table's page. */
export const TableCard = memo(function TableCard({ box, hasColumns, nameSize, state, onActive, onFocus }: TableCardProps) {
  const { id, schema, name, columns, hidden, isOutside, references, x, y, width, height } = box
  const title = isOutside ? `${schema}.${name}` : name
  return (
    <li
      className={cn(
        'absolute overflow-hidden rounded border border-input bg-card',
        isOutside && 'border-dashed',
        state === 'active' && 'border-foreground outline-2 outline-foreground',
        state === 'faded' && 'bg-background',
      )}
      style={{ left: x, top: y, width, height }}
      onPointerEnter={() => onActive(id)}
      onPointerLeave={() => onActive(undefined)}
    >
      <Link
        to={`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`}
        draggable={false}
        aria-label={references.length === 0 ? title : `${title}, refers to ${references.join(', ')}`}
        title={title}
        className={cn(
          'flex items-center bg-secondary px-2.5 font-bold text-secondary-foreground no-underline after:absolute after:inset-0 hover:underline focus-visible:-outline-offset-3',
          hasColumns ? 'border-b border-input' : 'size-full',
        )}
        style={{ height: hasColumns ? HEAD_HEIGHT : undefined, fontSize: nameSize }}
        onFocus={(event) => {
          onActive(id)
          // Only if the focus came from the keyboard. A mouse click focuses the table too, but must not move the drawing.
          if (event.currentTarget.matches(':focus-visible')) onFocus(box)
        }}
        onBlur={() => onActive(undefined)}
      >
        <span className={hasColumns ? 'truncate' : 'line-clamp-3 leading-tight break-all'}>{title}</span>
      </Link>
      {hasColumns && columns.length > 0 && (
        <ul aria-label={`Columns of ${title}`} className="text-[0.8125rem]">
          {columns.map((column) => (
            <Column key={column.name} column={column} />
          ))}
          {hidden > 0 && (
            <li className="px-2.5 text-muted-foreground" style={{ height: ROW_HEIGHT }}>
              {hidden} more columns
            </li>
          )}
        </ul>
      )}
    </li>
  )
})

function Column({ column: { name, type, nullable, key, refers } }: { column: TableBox['columns'][number] }) {
  const Icon = key ? KeyRound : refers ? Link2 : undefined
  return (
    <li className="flex items-center gap-1.5 px-2.5" style={{ height: ROW_HEIGHT }}>
      <span className="w-4 shrink-0 text-muted-foreground">
        {Icon && <Icon role="img" aria-label={key ? 'primary key' : 'foreign key'} className="block size-3.5" />}
      </span>
      <span className={cn('min-w-0 flex-1 truncate', key && 'font-bold')}>{name}</span>
      <span className="min-w-0 max-w-[55%] truncate text-muted-foreground" title={type}>
        {type}
        {nullable && <span title="can be null">?</span>}
      </span>
    </li>
  )
}
