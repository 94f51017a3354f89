import { Ellipsis, Lock, LockOpen } from 'lucide-react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { formatCount } from '@/lib/format'
import type { TableName } from '@/lib/schema'
import { isTable } from './table-sql'

interface TableEntryProps {
  schema: string
  entry: TableName
  isCurrent: boolean
  /** Opens the menu at a place of the window. */
  onMenu: (at: { x: number; y: number }) => void
}

/** Where the menu of an element opens: below its left edge. */
export const below = (element: Element) => {
  const { left, bottom } = element.getBoundingClientRect()
  return { x: left, y: bottom }
}

/** One relation of the list. Its menu opens with the right button, the Menu key or Shift F10; that of the current one with a button as well. */
export function TableEntry({ schema, entry, isCurrent, onMenu }: TableEntryProps) {
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault()
    // By keyboard it has no place of its own.
    onMenu(event.button === 2 ? { x: event.clientX, y: event.clientY } : below(event.currentTarget))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return
    event.preventDefault()
    onMenu(below(event.currentTarget))
  }
  return (
    <div className="relative flex h-full" onContextMenu={onContextMenu} onKeyDown={onKeyDown}>
      <Link
        to={`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(entry.name)}`}
        aria-current={isCurrent ? 'page' : undefined}
        title={entry.comment === null ? entry.name : `${entry.name}: ${entry.comment}`}
        className={cn(
          'flex h-full min-w-0 flex-1 items-center gap-2 rounded border-l-6 border-transparent px-2 text-foreground no-underline hover:bg-accent',
          isCurrent && 'border-foreground bg-secondary font-bold',
        )}
      >
        <span className="min-w-0 flex-1 truncate">{entry.name}</span>
        {isTable(entry) && <Security isOn={entry.rls} isServed={schema === 'public'} />}
        <span className="text-floor text-muted-foreground tabular-nums">{rowsOrKind(entry)}</span>
      </Link>
      {isCurrent && (
        <Button
          variant="ghost"
          size="compact-icon"
          aria-label={`Actions of ${entry.name}`}
          aria-haspopup="menu"
          className="pointer-coarse:size-9"
          onClick={(event) => onMenu(below(event.currentTarget))}
        >
          <Ellipsis aria-hidden />
        </Button>
      )}
    </div>
  )
}

/** Whether row-level security is on. Off is a danger only where the API serves the table. */
function Security({ isOn, isServed }: { isOn: boolean; isServed: boolean }) {
  const label = `Row-level security is ${isOn ? 'on' : 'off'}`
  const Icon = isOn ? Lock : LockOpen
  return (
    <Icon
      role="img"
      aria-label={label}
      className={cn('size-[1em] shrink-0', isOn || !isServed ? 'text-muted-foreground' : 'text-destructive')}
    >
      <title>{label}</title>
    </Icon>
  )
}

const kinds: Record<TableName['kind'], string> = {
  table: '',
  partitioned: 'partitioned',
  view: 'view',
  materialized: 'materialized',
  foreign: 'foreign',
}

/** What a table has; of another relation, what it is. */
const rowsOrKind = ({ kind, rows }: TableName) => (kind === 'table' ? (rows < 0 ? '' : formatCount(rows)) : kinds[kind])
