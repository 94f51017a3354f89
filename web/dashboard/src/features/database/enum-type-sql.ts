import type { SqlChange } from '@/components/ReviewSql'
import { literal, migrationName, qualified } from '@/lib/sql-text'

/** Splits a text into values, one per line. Empty lines and repeated values are left out. */
export const valuesOf = (lines: string): string[] => [
  ...new Set(
    lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

export function createEnum(schema: string, name: string, values: readonly string[]): SqlChange {
  return {
    title: `New enum ${name}`,
    sql: `create type ${qualified(schema, name)} as enum (\n${values.map((value) => `  ${literal(value)}`).join(',\n')}\n);`,
    migration: migrationName('enum', name),
    done: `Enum ${name} is created`,
  }
}

export function dropEnum(schema: string, name: string): SqlChange {
  return {
    title: `Drop the enum ${name}`,
    sql: `drop type ${qualified(schema, name)};`,
    migration: migrationName('drop_enum', name),
    done: `Enum ${name} is dropped`,
  }
}
