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
  /** Opens the menu at a position of the window. */
  onMenu: (at: { x: number; y: number }) => void
}

/** The position at which the menu of an element opens: below the element's lower left corner. */
export const below = (element: Element) => {
  const { left, bottom } = element.getBoundingClientRect()
  return { x: left, y: bottom }
}

/**
 * One relation in the list. Its menu opens after a right click, the Menu key or Shift F10. The entry of the current relation also has a button for
 * the menu.
 */
export function TableEntry({ schema, entry, isCurrent, onMenu }: TableEntryProps) {
  const onContextMenu = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault()
    // If the menu was opened with the keyboard, the event has no pointer position.
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
          // The button for the menu is above the end of the link. All entries keep this space free, so that their icons form a column.
          'flex h-full min-w-0 flex-1 items-center gap-2 rounded border-l-6 border-transparent pr-10 pl-2 text-foreground no-underline hover:bg-accent',
          // The button for the menu lies over the end of the entry, so that the icons of all entries are below each other.
          'pr-10 pointer-coarse:pr-11',
          isCurrent && 'border-foreground bg-secondary font-bold',
        )}
      >
        <span className="min-w-0 flex-1 truncate">{entry.name}</span>
        <span className="shrink-0 text-floor text-muted-foreground tabular-nums">{rowsOrKind(entry)}</span>
        {isTable(entry) ? (
          <Security isOn={entry.rls} isServed={schema === 'public'} />
        ) : (
          <span className="size-[1em] shrink-0" />
        )}
      </Link>
      {isCurrent && (
        <Button
          variant="ghost"
          size="compact-icon"
          aria-label={`Actions of ${entry.name}`}
          aria-haspopup="menu"
          className="absolute top-0 right-0 pointer-coarse:size-9"
          onClick={(event) => onMenu(below(event.currentTarget))}
        >
          <Ellipsis aria-hidden />
        </Button>
      )}
    </div>
  )
}

/** An icon that shows whether row-level security is on. If it is off and the API serves the table, the icon is a warning. */
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

/** For a table, the number of its rows; for other relations, their kind. */
const rowsOrKind = ({ kind, rows }: TableName) => (kind === 'table' ? (rows < 0 ? '' : formatCount(rows)) : kinds[kind])
