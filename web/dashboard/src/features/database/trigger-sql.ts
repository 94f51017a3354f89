import type { SqlChange } from '@/components/ReviewSql'
import type { Trigger } from '@/lib/catalog'
import { identifier, literal, migrationName, qualified } from '@/lib/sql-text'

export const triggerEvents = ['insert', 'update', 'delete', 'truncate'] as const

export interface TriggerDraft {
  name: string
  table: string
  timing: 'before' | 'after'
  events: readonly (typeof triggerEvents)[number][]
  eachRow: boolean
  /** Schema and name of a function that returns `trigger`. */
  function: readonly [schema: string, name: string]
  /** Text arguments that the trigger passes to the function. */
  args?: readonly string[]
  /** SQL condition that can use `old` and `new`. Empty if there is none. */
  condition: string
}

/** The name that a trigger gets unless the user writes another one. PostgreSQL's names have at most 63 bytes. */
export const defaultName = (table: string, kind: 'trigger' | 'webhook') => (table === '' ? '' : `${table.slice(0, 50)}_${kind}`)

export function createTrigger(schema: string, draft: TriggerDraft): SqlChange {
  const name = draft.name.trim()
  const condition = draft.condition.trim()
  const lines = [
    `create trigger ${identifier(name)}`,
    `  ${draft.timing} ${draft.events.join(' or ')} on ${qualified(schema, draft.table)}`,
    `  for each ${draft.eachRow ? 'row' : 'statement'}`,
    ...(condition === '' ? [] : [`  when (${condition})`]),
    `  execute function ${qualified(...draft.function)}(${(draft.args ?? []).map(literal).join(', ')});`,
  ]
  return {
    title: `New trigger on ${draft.table}`,
    sql: lines.join('\n'),
    migration: migrationName('trigger', draft.table, name),
    done: `Trigger ${name} is created`,
  }
}

export function switchTrigger(schema: string, { name, table, enabled }: Trigger): SqlChange {
  const verb = enabled ? 'disable' : 'enable'
  return {
    title: `${enabled ? 'Disable' : 'Enable'} the trigger ${name} on ${table}`,
    sql: `alter table ${qualified(schema, table)} ${verb} trigger ${identifier(name)};`,
    migration: migrationName(verb, 'trigger', table, name),
    done: `Trigger ${name} is ${verb}d`,
  }
}

export function dropTrigger(schema: string, { name, table }: Trigger): SqlChange {
  return {
    title: `Drop the trigger ${name} on ${table}`,
    sql: `drop trigger ${identifier(name)} on ${qualified(schema, table)};`,
    migration: migrationName('drop_trigger', table, name),
    done: `Trigger ${name} is dropped`,
  }
}
