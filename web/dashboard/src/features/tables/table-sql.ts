/** SQL that changes a whole table. This module has no side effects. */
import type { SqlChange } from '@/components/ReviewSql'
import type { TableName } from '@/lib/schema'
import { identifier, migrationName, qualified } from '@/lib/sql-text'

/** A relation with the properties that determine which changes are possible. */
export interface Relation extends Pick<TableName, 'name' | 'kind' | 'rls'> {
  schema: string
}

/** The keyword for a relation's kind in SQL statements. */
const nouns: Record<TableName['kind'], string> = {
  table: 'table',
  partitioned: 'table',
  view: 'view',
  materialized: 'materialized view',
  foreign: 'foreign table',
}

const nameOf = ({ schema, name }: Relation) => qualified(schema, name)

/** Whether the relation is a table. Only tables have rows of their own and can have row-level security. */
export const isTable = ({ kind }: Pick<Relation, 'kind'>) => kind === 'table' || kind === 'partitioned'

export const newSchema = (name: string): SqlChange => ({
  title: `New schema ${name}`,
  sql: `create schema ${identifier(name)};`,
  migration: migrationName('create_schema', name),
  done: `Schema ${name} is created`,
})

export const enableRls = (table: Relation): SqlChange => ({
  title: `Enable row-level security of ${table.name}`,
  sql: `alter table ${nameOf(table)} enable row level security;`,
  migration: migrationName('enable_rls', table.name),
  done: `Row-level security of ${table.name} is on`,
})

export const renameTable = (table: Relation, name: string): SqlChange => ({
  title: `Rename ${table.name} to ${name}`,
  sql: `alter ${nouns[table.kind]} ${nameOf(table)} rename to ${identifier(name)};`,
  migration: migrationName('rename', table.name, 'to', name),
  done: `${table.name} is now ${name}`,
})

/** Returns the change that empties the table. It changes data, so it cannot be stored as a migration. */
export const truncateTable = (table: Relation): SqlChange => ({
  title: `Delete all rows of ${table.name}`,
  sql: `truncate table ${nameOf(table)};`,
  done: `${table.name} has no rows`,
})

export const dropTable = (table: Relation): SqlChange => ({
  title: `Drop ${table.name}`,
  sql: `drop ${nouns[table.kind]} ${nameOf(table)};`,
  migration: migrationName('drop', table.name),
  done: `${table.name} is dropped`,
})
