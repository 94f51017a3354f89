import type { SqlChange } from '@/components/ReviewSql'
import type { Extension } from '@/lib/catalog'
import { identifier, migrationName } from '@/lib/sql-text'

/**
 * Returns the change that enables an extension. If the extension has a fixed schema, it creates this schema itself, and no other schema can be used.
 */
export function enableExtension({ name, fixed_schema, requires }: Extension, schema: string): SqlChange {
  const place = fixed_schema === null ? ` schema ${identifier(schema)}` : ''
  return {
    title: `Enable the extension ${name}`,
    sql: `create extension ${identifier(name)}${place}${requires.length > 0 ? ' cascade' : ''};`,
    migration: migrationName('extension', name),
    done: `Extension ${name} is enabled`,
  }
}

export function disableExtension({ name }: Extension): SqlChange {
  return {
    title: `Disable the extension ${name}`,
    sql: `drop extension ${identifier(name)};`,
    migration: migrationName('drop_extension', name),
    done: `Extension ${name} is disabled`,
  }
}
