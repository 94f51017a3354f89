/** SQL for the foreign key of a column. This module has no side effects. */
import type { Suggestion } from '@/components/SearchField'
import type { DiagramTable } from '@/lib/catalog'
import { identifier, qualified } from '@/lib/sql-text'

/** The actions when the referenced row is deleted: for each, PostgreSQL's keyword and an explanation. */
export const onDeletes = {
  'no action': 'A row that others refer to cannot be deleted.',
  restrict: 'A row that others refer to cannot be deleted, not even if the same transaction would delete them later.',
  cascade: 'The rows that refer to a deleted row are deleted with it.',
  'set null': 'The rows that refer to a deleted row stay, and refer to none.',
  'set default': 'The rows that refer to a deleted row stay, and get the default value of the column.',
} as const

export type OnDelete = keyof typeof onDeletes

export const isOnDelete = (text: string): text is OnDelete => text in onDeletes

const part = String.raw`("(?:[^"]|"")*"|[^".]+)`
const name = new RegExp(String.raw`^(?:${part}\.)?${part}$`)

const unquoted = (text: string) => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text)

/** The referenced table, according to a typed text. The name is quoted if necessary, and contains the schema if this is another one. */
export function referenced(schema: string, text: string): string {
  const [, first, second] = name.exec(text.trim()) ?? []
  if (second === undefined) return qualified(schema, text.trim())
  return qualified(first === undefined ? schema : unquoted(first), unquoted(second))
}

/** The `references` clause in a column's definition. Empty if the column references nothing. */
export function referenceSql(schema: string, { references, onDelete }: { references: string; onDelete: OnDelete }): string {
  if (references.trim() === '') return ''
  return `references ${referenced(schema, references)}${onDelete === 'no action' ? '' : ` on delete ${onDelete}`}`
}

/** A table that a foreign key can reference, and the type of its key. */
export interface Target extends Suggestion {
  type: string | undefined
}

const users: Target = { value: 'auth.users', note: 'users of the project: id uuid', type: 'uuid' }

/** The tables that a foreign key can reference: tables of the schema whose key is one column, and the table of users. */
export function targets(schema: string, tables: readonly DiagramTable[]): Target[] {
  const own = tables.flatMap((table): Target[] => {
    const [key, ...others] = table.columns.filter((column) => column.key)
    if (!key || others.length > 0) return []
    return [{ value: qualified(schema, table.name), note: `${identifier(key.name)} ${key.type}`, type: key.type }]
  })
  return schema === 'auth' ? own : [...own, users]
}

export const findTargets = (all: readonly Target[], text: string) => {
  const wanted = text.trim().toLowerCase()
  return all.filter(({ value }) => value.toLowerCase().replaceAll('"', '').includes(wanted.replaceAll('"', ''))).slice(0, 50)
}
