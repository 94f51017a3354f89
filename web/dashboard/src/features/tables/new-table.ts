import { identifier, qualified } from '@/lib/sql-text'
import { referenceSql, type OnDelete } from './references'

export interface NewColumn {
  name: string
  type: string
  isRequired: boolean
  isUnique: boolean
  /** An SQL expression. Empty if there is none. */
  default: string
  /** The referenced table. It contains the schema if this is another one. Empty if there is none. */
  references: string
  onDelete: OnDelete
}

export interface NewTableForm {
  schema: string
  name: string
  columns: readonly NewColumn[]
  hasRls: boolean
  isLive: boolean
}

/** The statements that create the table. If chosen in the form, they also enable row-level security and add the table to the publication. */
export function tableSql({ schema, name, columns, hasRls, isLive }: NewTableForm): string {
  const table = qualified(schema, name)
  const lines = columns.map((column) =>
    [
      `  ${identifier(column.name.trim())} ${column.type.trim()}`,
      column.isRequired && 'not null',
      column.isUnique && 'unique',
      column.default.trim() !== '' && `default ${column.default.trim()}`,
      referenceSql(schema, column),
    ]
      .filter((part) => part !== false && part !== '')
      .join(' '),
  )
  return [
    `create table ${table} (\n${lines.join(',\n')}\n);`,
    hasRls && `alter table ${table} enable row level security;`,
    isLive && `alter publication supabase_realtime add table ${table};`,
  ]
    .filter((part) => part !== false)
    .join('\n\n')
}
