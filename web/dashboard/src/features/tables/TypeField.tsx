import { useMemo } from 'react'
import { SearchField } from '@/components/SearchField'
import { useCatalog } from '@/lib/catalog'
import { useCompletion } from '@/lib/schema'
import { allTypes, findTypes } from './types'

interface TypeFieldProps {
  label: string
  value: string
  /** Whether definitions of a primary key are offered. Only the form for a new table needs them. */
  hasKeys?: boolean
  onChange: (type: string) => void
}

/**
 * Field for the type of a column. Suggestions are found by the name or the description of a type. The user can also type any other type, as written
 * in PostgreSQL.
 */
export function TypeField({ label, value, hasKeys = false, onChange }: TypeFieldProps) {
  const names = useCompletion()
  const extensions = useCatalog('extensions')
  const vector = extensions.data?.rows.find(({ name, version }) => name === 'vector' && version !== null)?.schema ?? null
  const types = useMemo(() => allTypes({ types: names.data?.types ?? [], vector, hasKeys }), [names.data, vector, hasKeys])
  return (
    <SearchField
      label={label}
      hint="Search, or type any type: numeric(10,2), uuid[]"
      value={value}
      onChange={onChange}
      find={(text) => findTypes(types, text)}
    />
  )
}
