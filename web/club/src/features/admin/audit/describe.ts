import * as z from 'zod'
import type { Change } from './queries/list-changes'

const changesSchema = z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))

const actions: Record<string, string> = {
  insert: 'added',
  update: 'changed',
  delete: 'deleted',
  merge: 'merged another entry into',
}

/** A sentence such as "secretary@club.example changed this record". Contains the role if the author has no account. */
export function describeChange(change: Change): string {
  // A visitor can change an entry only with the link that its sender got.
  if (change.actor_role === 'anon' && change.action === 'update') return 'The sender corrected this record by its link'
  return `${change.actor_email ?? actorNames[change.actor_role] ?? change.actor_role} ${actions[change.action] ?? change.action} this record`
}

const actorNames: Record<string, string> = {
  anon: 'A visitor',
  judge: 'A judge',
  service_role: 'The server',
  postgres: 'The server',
}

export interface FieldChange {
  field: string
  from: string
  to: string
}

/** The changed fields of an update or merge. Empty for a new record. */
export function fieldChanges(change: Change): FieldChange[] {
  if (change.action !== 'update' && change.action !== 'merge') return []
  const parsed = changesSchema.safeParse(change.changes)
  if (!parsed.success) return []
  return Object.entries(parsed.data).map(([column, { from, to }]) => ({
    field: column.replaceAll('_', ' '),
    from: asText(from),
    to: asText(to),
  }))
}

function asText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
