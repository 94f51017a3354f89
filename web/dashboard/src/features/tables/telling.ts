/** Finds the columns that describe a row best to a person, and the filters that search rows by a text. This module has no side effects. */
import type { TableColumn, TableDetail } from '@/lib/schema'
import type { Filter } from './model'

/** Maximum number of columns that are shown, and of columns in which the search looks. Each searched column needs its own request. */
const most = { drawn: 3, searched: 4 }

/** Names of columns that usually describe a row. The best ones are first. */
const names =
  /^(?:(name|title|label)|(email|username|handle|full_name|display_name|subject)|(slug|code|phone|description|status))$/i
const parts = /name|title|label|mail/i
/** Names of columns that may contain secrets. These columns are neither shown nor searched. */
const secret = /password|passwd|secret|token|hash|salt|encrypted|_key$/i

/** Returns how well a column describes a row. A lower number is better. */
function rank({ name, base }: TableColumn): number {
  const found = names.exec(name)
  // TypeScript says that the groups of the match are strings, but a group that did not match is undefined.
  if (found) return found.slice(1).findIndex(Boolean)
  if (base === 'text') return parts.test(name) ? 3 : 4
  return base === 'enum' || base === 'date' || base === 'timestamptz' || base === 'timestamp' ? 5 : 6
}

const kinds: ReadonlySet<TableColumn['base']> = new Set([
  'text',
  'enum',
  'date',
  'timestamp',
  'timestamptz',
  'number',
  'boolean',
])

const byRank = (columns: readonly TableColumn[]) =>
  columns
    .map((column, place) => ({ column, place }))
    .sort((one, other) => rank(one.column) - rank(other.column) || one.place - other.place)
    .map(({ column }) => column)

/** The columns that describe a row. They are shown in addition to the key. */
export function tellingColumns({ columns, foreign_keys }: TableDetail, key: string): TableColumn[] {
  const keys = new Set(foreign_keys.flatMap((reference) => reference.columns))
  const useful = columns.filter(({ name, base }) => name !== key && kinds.has(base) && !secret.test(name) && !keys.has(name))
  return byRank(useful).slice(0, most.drawn)
}

/** A pattern for `like` that matches the text literally. */
const pattern = (text: string) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** One filter for each column in which the search looks. A row is found if it matches one of the filters. */
export function searches({ columns }: TableDetail, key: string, text: string): Filter[] {
  const wanted = text.trim()
  const of = columns.find(({ name }) => name === key)
  const isKey = of?.base === 'number' ? /^-?\d{1,18}$/.test(wanted) : of?.base === 'uuid' && uuid.test(wanted)
  const texts = columns.filter(({ name, base, type }) => base === 'text' && type !== 'name' && !secret.test(name))
  return [
    ...(isKey ? [{ column: key, op: 'eq' as const, value: wanted }] : []),
    ...byRank(texts)
      .slice(0, most.searched)
      .map(({ name }) => ({ column: name, op: 'ilike' as const, value: pattern(wanted) })),
  ]
}
