/** Which columns tell a person what a row is, and how rows are found by a text; a pure part. */
import type { TableColumn, TableDetail } from '@/lib/schema'
import type { Filter } from './model'

/** Columns besides the key that are drawn, and columns that are searched: each is a request of its own. */
const most = { drawn: 3, searched: 4 }

/** Names of columns that tell more than others, the best first. */
const names =
  /^(?:(name|title|label)|(email|username|handle|full_name|display_name|subject)|(slug|code|phone|description|status))$/i
const parts = /name|title|label|mail/i
/** What nobody chooses by, and nobody should read in passing. */
const secret = /password|passwd|secret|token|hash|salt|encrypted|_key$/i

/** How much a column tells: the less, the more. */
function rank({ name, base }: TableColumn): number {
  const found = names.exec(name)
  // A group that did not match is no text, whatever the types say.
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

/** Columns that tell what a row is, besides the one that is chosen. */
export function tellingColumns({ columns, foreign_keys }: TableDetail, key: string): TableColumn[] {
  const keys = new Set(foreign_keys.flatMap((reference) => reference.columns))
  const useful = columns.filter(({ name, base }) => name !== key && kinds.has(base) && !secret.test(name) && !keys.has(name))
  return byRank(useful).slice(0, most.drawn)
}

/** A text within a pattern of `like`, where each letter is itself. */
const pattern = (text: string) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** One filter for each column in which a text is looked for; a row that one of them finds is found. */
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
