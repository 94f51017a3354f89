/** SQL that adds or changes a column. This module has no side effects. */
import type { TableColumn } from '@/lib/schema'
import { identifier, literal, qualified } from '@/lib/sql-text'
import { referenceSql, type OnDelete } from './references'

export interface ColumnForm {
  name: string
  type: string
  isRequired: boolean
  /** An SQL expression. Empty if there is none. */
  default: string
  comment: string
  /** The table that the column will reference. Empty if there is none, or if an existing reference is not changed. */
  references: string
  onDelete: OnDelete
}

interface Place {
  schema: string
  name: string
}

const lines = (statements: readonly (string | false)[]) => statements.filter((statement) => statement !== false).join('\n')

/** The statements that change the column as described by the form. Empty if nothing changes. */
export function columnSql(place: Place, before: TableColumn | undefined, form: ColumnForm): string {
  const table = qualified(place.schema, place.name)
  const column = identifier(form.name.trim())
  const value = form.default.trim()
  const comment = `comment on column ${table}.${column} is ${form.comment === '' ? 'null' : literal(form.comment)};`
  if (!before) {
    const parts = [
      `alter table ${table} add column ${column} ${form.type.trim()}`,
      form.isRequired && 'not null',
      value !== '' && `default ${value}`,
      referenceSql(place.schema, form),
    ]
    return lines([`${parts.filter((part) => part !== false && part !== '').join(' ')};`, form.comment !== '' && comment])
  }
  const alter = (action: string) => `alter table ${table} alter column ${column} ${action};`
  return lines([
    form.name.trim() !== before.name && `alter table ${table} rename column ${identifier(before.name)} to ${column};`,
    form.type.trim() !== before.type && alter(`type ${form.type.trim()} using ${column}::${form.type.trim()}`),
    form.isRequired === before.nullable && alter(form.isRequired ? 'set not null' : 'drop not null'),
    value !== (before.default ?? '') && alter(value === '' ? 'drop default' : `set default ${value}`),
    form.comment !== (before.comment ?? '') && comment,
    form.references.trim() !== '' && `alter table ${table} add foreign key (${column}) ${referenceSql(place.schema, form)};`,
  ])
}
