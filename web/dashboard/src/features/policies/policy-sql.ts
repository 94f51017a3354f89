import type { SqlChange } from '@/components/ReviewSql'
import { identifier, qualified } from '@/lib/sql-text'
import type { Command, Policy, PolicyTable } from './contract'

export interface Draft {
  name: string
  permissive: boolean
  command: Command | 'ALL'
  roles: string[]
  using: string
  check: string
}

/**
 * Whether the command has a USING clause. INSERT has none, because there is no existing row. SELECT and DELETE have no WITH CHECK clause, because
 * there is no new row.
 */
export const hasUsing = (command: Draft['command']) => command !== 'INSERT'
export const hasCheck = (command: Draft['command']) => command !== 'SELECT' && command !== 'DELETE'

export const emptyDraft: Draft = {
  name: '',
  permissive: true,
  command: 'SELECT',
  roles: ['authenticated'],
  using: '',
  check: '',
}

export const draftOf = (policy: Policy): Draft => ({ ...policy, using: policy.using ?? '', check: policy.check ?? '' })

const roleName = (role: string) => (role === 'public' ? role : identifier(role))

function create(table: PolicyTable, draft: Draft): string {
  const { name, permissive, command, roles, using, check } = draft
  const lines = [
    `create policy ${identifier(name)} on ${qualified(table.schema, table.name)}`,
    ...(permissive ? [] : ['  as restrictive']),
    `  for ${command.toLowerCase()}`,
    `  to ${roles.map(roleName).join(', ')}`,
    ...(hasUsing(command) && using.trim() !== '' ? [`  using (${using.trim()})`] : []),
    ...(hasCheck(command) && check.trim() !== '' ? [`  with check (${check.trim()})`] : []),
  ]
  return `${lines.join('\n')};`
}

const drop = (table: PolicyTable, name: string) => `drop policy ${identifier(name)} on ${qualified(table.schema, table.name)};`

const file = (...parts: string[]) =>
  parts
    .join('_')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 60)

/**
 * Returns the change that saves the draft. An existing policy is dropped and created again, because PostgreSQL cannot alter its command and its kind.
 */
export function savePolicy(table: PolicyTable, draft: Draft, before: Policy | undefined): SqlChange {
  return {
    title: before ? `Change the policy “${before.name}”` : `Add the policy “${draft.name}” to ${table.name}`,
    sql: before ? `${drop(table, before.name)}\n${create(table, draft)}` : create(table, draft),
    migration: file('policy', table.name, draft.name),
    done: 'The policy is in force',
  }
}

export function dropPolicy(table: PolicyTable, policy: Policy): SqlChange {
  return {
    title: `Remove the policy “${policy.name}” of ${table.name}`,
    sql: drop(table, policy.name),
    migration: file('drop_policy', table.name, policy.name),
    done: 'The policy is gone',
  }
}

export interface Template {
  label: string
  draft: Draft
}

/** Templates for common policies. Function calls are written in a sub-select, so that PostgreSQL evaluates them once and not for each row. */
export const templates: readonly Template[] = [
  {
    label: 'Everybody may read',
    draft: { ...emptyDraft, name: 'Everybody may read', roles: ['anon', 'authenticated'], using: 'true' },
  },
  { label: 'Signed-in users may read', draft: { ...emptyDraft, name: 'Signed-in users may read', using: 'true' } },
  {
    label: 'Owners read their rows',
    draft: { ...emptyDraft, name: 'Owners read their rows', using: '(select auth.uid()) = user_id' },
  },
  {
    label: 'Owners add their rows',
    draft: { ...emptyDraft, name: 'Owners add their rows', command: 'INSERT', check: '(select auth.uid()) = user_id' },
  },
  {
    label: 'Owners change their rows',
    draft: {
      ...emptyDraft,
      name: 'Owners change their rows',
      command: 'UPDATE',
      using: '(select auth.uid()) = user_id',
      check: '(select auth.uid()) = user_id',
    },
  },
  {
    label: 'Owners remove their rows',
    draft: { ...emptyDraft, name: 'Owners remove their rows', command: 'DELETE', using: '(select auth.uid()) = user_id' },
  },
  {
    label: 'A second factor is needed (restrictive)',
    draft: {
      ...emptyDraft,
      name: 'A second factor is needed',
      permissive: false,
      command: 'ALL',
      using: "(select auth.jwt() ->> 'aal') = 'aal2'",
    },
  },
]
