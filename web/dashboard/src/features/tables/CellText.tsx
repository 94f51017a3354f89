import { ArrowUpRight } from 'lucide-react'
import type { TableColumn } from '@/lib/schema'
import type { Value } from './edits'

interface CellTextProps {
  column: TableColumn
  value: Value
  isCut: boolean
  /** Whether the value refers to a row of another table. If so, the cell has a button that shows this row. */
  isLink: boolean
}

/** A value as text. Only the first line is shown. */
export function CellText({ column, value, isCut, isLink }: CellTextProps) {
  if (value === null) return <span className="text-muted-foreground">{isCut ? 'large value' : 'null'}</span>
  if (typeof value === 'object') return <span className="text-muted-foreground">default</span>
  const isFigure = column.base === 'number'
  return (
    <>
      <span className={isFigure ? 'ml-auto truncate tabular-nums' : 'truncate [unicode-bidi:plaintext]'}>
        {column.base === 'boolean' ? (value === 't' || value === 'true' ? 'true' : 'false') : value.slice(0, 300)}
        {isCut && <span className="text-muted-foreground"> …</span>}
      </span>
      {isLink && (
        <button
          type="button"
          tabIndex={-1}
          className="ml-1 rounded p-0.5 hover:bg-accent"
          aria-label={`Show what ${column.name} ${value} refers to`}
        >
          <ArrowUpRight aria-hidden />
        </button>
      )}
    </>
  )
}
