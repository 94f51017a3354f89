/** Finds the columns that best describe a row to a person, and the filters that find rows by a text; a pure module. */
import type { TableColumn, TableDetail } from '@/lib/schema'
import type { Filter } from './model'

/** Maximum number of descriptive columns that are shown, and of columns that are searched, each with its own request. */
const most = { drawn: 3, searched: 4 }

/** Column names that usually describe a row, the best first. */
const names =
  /^(?:(name|title|label)|(email|username|handle|full_name|display_name|subject)|(slug|code|phone|description|status))$/i
const parts = /name|title|label|mail/i
/** Columns that are not shown or searched, because they may contain secrets. */
const secret = /password|passwd|secret|token|hash|salt|encrypted|_key$/i

/** Rank of a column as a description of the row; lower is better. */
function rank({ name, base }: TableColumn): number {
  const found = names.exec(name)
  // A group of the regular expression that did not match is undefined, although its type says string.
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

/** Columns that describe the row, in addition to the key. */
export function tellingColumns({ columns, foreign_keys }: TableDetail, key: string): TableColumn[] {
  const keys = new Set(foreign_keys.flatMap((reference) => reference.columns))
  const useful = columns.filter(({ name, base }) => name !== key && kinds.has(base) && !secret.test(name) && !keys.has(name))
  return byRank(useful).slice(0, most.drawn)
}

/** A pattern for `like` that matches the text literally. */
const pattern = (text: string) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** One filter for each searched column. A row that matches one of the filters is found. */
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
