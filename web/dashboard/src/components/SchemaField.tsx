import { useSchemas } from '@/lib/schema'
import { SelectField } from './fields'

interface SchemaFieldProps {
  value: string
  onChange: (schema: string) => void
  label?: string
  className?: string
}

/** Field that chooses a schema of the database. It also offers the schema in the URL, even if this schema does not exist. */
export function SchemaField({ value, onChange, label = 'Schema', className = '' }: SchemaFieldProps) {
  const schemas = useSchemas()
  const names = new Set([value, ...(schemas.data?.schemas.map(({ name }) => name) ?? [])])
  return (
    <SelectField label={label} value={value} onChange={onChange} className={className}>
      {[...names].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}
