import { X } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { CheckField, TextField } from '@/components/fields'
import type { NewColumn } from './new-table'
import { ReferenceField } from './ReferenceField'
import { TypeField } from './TypeField'

interface ColumnFieldsProps {
  schema: string
  /** Number of the column, counted from 1. */
  place: number
  column: NewColumn
  onChange: (next: Partial<NewColumn>) => void
  onRemove: () => void
}

/** The fields for one column of a new table. */
export function ColumnFields({ schema, place, column, onChange, onRemove }: ColumnFieldsProps) {
  return (
    <div className="grid gap-2 border-t pt-3 sm:grid-cols-2">
      <TextField
        label={`Name of column ${place}`}
        value={column.name}
        onChange={(name) => onChange({ name })}
        autoComplete="off"
        spellCheck={false}
      />
      <TypeField label={`Type of column ${place}`} value={column.type} hasKeys onChange={(type) => onChange({ type })} />
      <TextField
        label={`Default of column ${place}`}
        hint="An SQL expression: now(), 'new', 0"
        value={column.default}
        onChange={(next) => onChange({ default: next })}
        controlClassName="font-mono"
        autoComplete="off"
        spellCheck={false}
      />
      <ReferenceField
        schema={schema}
        of={` of column ${place}`}
        references={column.references}
        onDelete={column.onDelete}
        onReferences={(references, type) => onChange({ references, ...(type === undefined ? {} : { type }) })}
        onDeleteChange={(onDelete) => onChange({ onDelete })}
      />
      <div className="flex flex-wrap gap-x-5">
        <CheckField label="Required" checked={column.isRequired} onChange={(isRequired) => onChange({ isRequired })} />
        <CheckField label="Unique" checked={column.isUnique} onChange={(isUnique) => onChange({ isUnique })} />
      </div>
      <div className="justify-self-end">
        <Button variant="ghost" size="compact" aria-label={`Remove column ${column.name || place}`} onClick={onRemove}>
          <X aria-hidden />
          Remove
        </Button>
      </div>
    </div>
  )
}
