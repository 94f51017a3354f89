import type { SqlChange } from '@/components/ReviewSql'
import { identifier, migrationName, qualified } from '@/lib/sql-text'

/** Returns the change that adds tables to a publication and removes others from it. @param added, removed names of tables in the schema */
export function changePublication(
  name: string,
  schema: string,
  added: readonly string[],
  removed: readonly string[],
): SqlChange {
  const statement = (verb: string, tables: readonly string[]) =>
    `alter publication ${identifier(name)} ${verb} table ${tables.map((table) => qualified(schema, table)).join(', ')};`
  return {
    title: `Change the tables of ${name}`,
    sql: [
      ...(added.length > 0 ? [statement('add', added)] : []),
      ...(removed.length > 0 ? [statement('drop', removed)] : []),
    ].join('\n'),
    migration: migrationName('publication', name),
    done: `Publication ${name} is changed`,
  }
}
