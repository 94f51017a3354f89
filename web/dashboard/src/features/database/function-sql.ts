import type { SqlChange } from '@/components/ReviewSql'
import type { DatabaseFunction } from '@/lib/catalog'
import { dollarQuoted, migrationName, qualified } from '@/lib/sql-text'

export interface FunctionDraft {
  name: string
  /** Arguments as written in SQL, such as `a integer, b text default 'x'`. */
  arguments: string
  returns: string
  language: 'sql' | 'plpgsql'
  volatility: 'volatile' | 'stable' | 'immutable'
  definer: boolean
  body: string
}

export const emptyFunction: FunctionDraft = {
  name: '',
  arguments: '',
  returns: 'trigger',
  language: 'plpgsql',
  volatility: 'volatile',
  definer: false,
  body: 'begin\n  return new;\nend',
}

/**
 * Returns the change that creates the function. If a function with the same name and arguments exists, the statement fails instead of replacing it.
 */
export function createFunction(schema: string, draft: FunctionDraft): SqlChange {
  const name = draft.name.trim()
  const lines = [
    `create function ${qualified(schema, name)}(${draft.arguments.trim()})`,
    `returns ${draft.returns.trim()}`,
    `language ${draft.language}`,
    ...(draft.volatility === 'volatile' ? [] : [draft.volatility]),
    // The body runs with the owner's rights. Without a fixed search path, the caller could decide to which objects the names in the body refer.
    ...(draft.definer ? ['security definer', "set search_path = ''"] : []),
    `as ${dollarQuoted(draft.body)};`,
  ]
  return {
    title: `New function ${name}`,
    sql: lines.join('\n'),
    migration: migrationName('function', name),
    done: `Function ${name} is created`,
  }
}

/** @param definition `create or replace function …`, as PostgreSQL returns it */
export function replaceFunction({ name, procedure }: DatabaseFunction, definition: string): SqlChange {
  const kind = procedure ? 'Procedure' : 'Function'
  return {
    title: `Change the ${kind.toLowerCase()} ${name}`,
    sql: `${definition.trim()};`,
    migration: migrationName('function', name),
    done: `${kind} ${name} is replaced`,
  }
}

export function dropFunction(schema: string, { name, arguments: args, procedure }: DatabaseFunction): SqlChange {
  const kind = procedure ? 'procedure' : 'function'
  return {
    title: `Drop the ${kind} ${name}`,
    sql: `drop ${kind} ${qualified(schema, name)}(${args});`,
    migration: migrationName('drop_function', name),
    done: `${name} is dropped`,
  }
}
