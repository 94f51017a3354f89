import { ChevronRight } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { TextField } from '@/components/fields'
import { Loading } from '@/components/states'
import { identifier } from '@/lib/sql-text'
import type { Names } from './editor-core'
import { treeOf } from './tree'

/** Maximum number of tables shown for a schema. The search finds the other tables. */
const most = 200

interface SchemaTreeProps {
  names: Names | undefined
  error: unknown
  onInsert: (text: string) => void
}

/** Tree of schemas, tables and columns. A click on a name inserts the name into the script, in quotation marks if necessary. */
export function SchemaTree({ names, error, onInsert }: SchemaTreeProps) {
  const [find, setFind] = useState('')
  if (names === undefined)
    return error ? <p className="text-small text-destructive">The names could not be read.</p> : <Loading what="the schema" />
  const tree = treeOf(names, find)
  const isFinding = find.trim() !== ''
  return (
    <div className="grid content-start gap-2">
      <TextField
        label="Find a table or column"
        isLabelHidden
        placeholder="Find a table or column"
        value={find}
        onChange={setFind}
      />
      {tree.length === 0 && (
        <p className="text-small text-muted-foreground">{isFinding ? 'Nothing has this name.' : 'There are no tables.'}</p>
      )}
      <ul aria-label="Schemas" className="text-small">
        {tree.map(({ name, tables }) => (
          <Branch
            // Search results are unfolded, even if the user has folded them before.
            key={`${name} ${isFinding}`}
            name={name}
            isOpenAtFirst={isFinding || name === 'public'}
            className="font-strong"
            note={String(tables.length)}
          >
            {tables.slice(0, most).map((table) => (
              <Branch key={table.name} name={table.name} text={table.text} onInsert={onInsert}>
                {table.columns.map((column) => (
                  <li key={column} className="pl-6">
                    <Insert name={column} text={identifier(column)} onInsert={onInsert} />
                  </li>
                ))}
              </Branch>
            ))}
            {tables.length > most && (
              <li className="py-1 pl-6 text-muted-foreground">{tables.length - most} more: find them by name.</li>
            )}
          </Branch>
        ))}
      </ul>
    </div>
  )
}

interface BranchProps {
  name: string
  /** The text that is inserted by a click on the name. If it is not set, a click folds or unfolds the entry. */
  text?: string
  onInsert?: (text: string) => void
  isOpenAtFirst?: boolean
  className?: string
  note?: string
  children: ReactNode
}

function Branch({ name, text, onInsert, isOpenAtFirst = false, className, note, children }: BranchProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const id = useId()
  const isName = text === undefined || onInsert === undefined
  return (
    <li>
      <div className={cn('flex min-w-0 items-center', className)}>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={isName ? undefined : `Columns of ${name}`}
          className={cn(
            'flex min-h-6 items-center rounded hover:bg-accent pointer-coarse:min-h-11',
            isName ? 'min-w-0 flex-1 gap-1 text-left' : 'min-w-6 shrink-0 pointer-coarse:min-w-9',
          )}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight aria-hidden className={cn('shrink-0', isOpen && 'rotate-90')} />
          {isName && <span className="truncate">{name}</span>}
          {isName && note !== undefined && <span className="font-normal text-muted-foreground">{note}</span>}
        </button>
        {!isName && <Insert name={name} text={text} onInsert={onInsert} />}
      </div>
      <ul id={id} hidden={!isOpen} className={isName ? 'pl-2' : undefined}>
        {isOpen && children}
      </ul>
    </li>
  )
}

function Insert({ name, text, onInsert }: { name: string; text: string; onInsert: (text: string) => void }) {
  return (
    <button
      type="button"
      aria-label={`Insert ${name}`}
      title={text}
      className="min-h-6 max-w-full min-w-0 flex-1 truncate rounded px-1 text-left hover:bg-accent pointer-coarse:min-h-11"
      onClick={() => onInsert(text)}
    >
      {name}
    </button>
  )
}
