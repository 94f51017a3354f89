import { useMemo } from 'react'
import { SearchField } from '@/components/SearchField'
import { SelectField } from '@/components/fields'
import { useCatalog } from '@/lib/catalog'
import { findTargets, isOnDelete, onDeletes, targets, type OnDelete } from './references'

interface ReferenceFieldProps {
  schema: string
  references: string
  onDelete: OnDelete
  /** Name of the column. It is added to the labels, so that the labels of several columns differ. */
  of?: string
  /** @param type the type of the referenced key; undefined if it is not known */
  onReferences: (references: string, type?: string) => void
  onDeleteChange: (onDelete: OnDelete) => void
}

/** Fields for a foreign key: the referenced table, and what happens when the referenced row is deleted. */
export function ReferenceField({ schema, references, onDelete, of = '', onReferences, onDeleteChange }: ReferenceFieldProps) {
  const tables = useCatalog('diagram', schema)
  const all = useMemo(() => targets(schema, tables.data?.rows ?? []), [schema, tables.data])
  return (
    <>
      <SearchField
        label={`References${of}`}
        hint="Another table: schools or auth.users. Empty: none"
        value={references}
        onChange={(text) => onReferences(text)}
        find={(text) => findTargets(all, text)}
        onChosen={({ value }) => onReferences(value, all.find((target) => target.value === value)?.type)}
      />
      {references.trim() !== '' && (
        <SelectField
          label={`On delete${of}`}
          hint={onDeletes[onDelete]}
          value={onDelete}
          onChange={(next) => {
            if (isOnDelete(next)) onDeleteChange(next)
          }}
        >
          {Object.keys(onDeletes).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      )}
    </>
  )
}
