import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { SearchField } from '@/components/SearchField'
import { get } from '@/lib/api'
import { useCatalog } from '@/lib/catalog'
import { schemaKey } from '@/lib/schema'
import { allTypes, findTypes } from './types'

interface Completion {
  types: [schema: string, name: string][]
}

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
  const names = useQuery({
    queryKey: [...schemaKey, 'completion'],
    staleTime: 60_000,
    queryFn: ({ signal }) => get<Completion>('/completion', {}, signal),
  })
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
