import type { SqlChange } from '@/components/ReviewSql'
import type { Index } from '@/lib/catalog'
import { identifier, migrationName, qualified } from '@/lib/sql-text'

/** Timeout in seconds. Building an index of a large table can take minutes; during this time, rows can still be written. */
const BUILD_SECONDS = 600

export const methods = ['btree', 'hash', 'gin', 'gist', 'brin'] as const

export interface IndexDraft {
  table: string
  /** Columns in the order of the index. */
  columns: readonly string[]
  /** SQL expression after the columns, such as `lower(email)`. Empty if there is none. */
  expression: string
  method: (typeof methods)[number]
  unique: boolean
  /** SQL condition for the rows that the index contains. Empty for all rows. */
  where: string
  /** Whether writes to the table continue while the index is built. */
  concurrently: boolean
}

export function createIndex(schema: string, draft: IndexDraft): SqlChange {
  const expression = draft.expression.trim()
  const where = draft.where.trim()
  const keys = [...draft.columns.map(identifier), ...(expression === '' ? [] : [`(${expression})`])].join(', ')
  const words = [
    `create ${draft.unique ? 'unique ' : ''}index${draft.concurrently ? ' concurrently' : ''} on ${qualified(schema, draft.table)}`,
    ...(draft.method === 'btree' ? [] : [`using ${draft.method}`]),
    `(${keys})`,
    ...(where === '' ? [] : [`where (${where})`]),
  ]
  return {
    title: `New index on ${draft.table}`,
    sql: `${words.join(' ')};`,
    migration: migrationName('index', draft.table, ...draft.columns),
    seconds: BUILD_SECONDS,
    isAlone: draft.concurrently,
    done: 'The index is created',
  }
}

/** Returns the change that drops an index. The index of a partitioned table cannot be dropped concurrently, so the table is locked meanwhile. */
export function dropIndex(schema: string, { name, partitioned }: Index): SqlChange {
  return {
    title: `Drop the index ${name}`,
    sql: `drop index ${partitioned ? '' : 'concurrently '}${qualified(schema, name)};`,
    migration: migrationName('drop_index', name),
    seconds: BUILD_SECONDS,
    isAlone: !partitioned,
    done: `Index ${name} is dropped`,
  }
}
