import type { SqlChange } from '@/components/ReviewSql'
import type { DatabaseRole } from '@/lib/catalog'
import { identifier, migrationName } from '@/lib/sql-text'

/** The role attributes that the project's owner role may set, each with an explanation. */
export const attributes = [
  ['login', 'Can sign in to PostgreSQL'],
  ['inherit', 'Has the rights of the roles that it is a member of'],
  ['createdb', 'Can create databases'],
  ['createrole', 'Can create roles'],
] as const

type Attribute = (typeof attributes)[number][0]

export type RoleDraft = Record<Attribute, boolean> & {
  name: string
  /** Roles of which this role is a member. */
  memberOf: readonly string[]
  /** Whether API requests may use the role. If so, `authenticator` is a member of it. */
  api: boolean
}

export const emptyRole: RoleDraft = {
  name: '',
  login: false,
  inherit: true,
  createdb: false,
  createrole: false,
  memberOf: [],
  api: false,
}

/** The role with which the API logs in to PostgreSQL. For each request, it switches to the role in the request's token. */
const AUTHENTICATOR = 'authenticator'

export const draftOf = ({ name, login, inherit, createdb, createrole, member_of, members }: DatabaseRole): RoleDraft => ({
  name,
  login,
  inherit,
  createdb,
  createrole,
  memberOf: member_of,
  api: members.includes(AUTHENTICATOR),
})

/** Returns the statements that make the role match the draft. Empty if nothing changes. @param before `undefined` for a new role */
export function roleSql(draft: RoleDraft, before: RoleDraft | undefined): string {
  const role = identifier(draft.name.trim())
  const from = before ?? emptyRole
  const changed = attributes.map(([name]) => name).filter((name) => draft[name] !== from[name])
  const words = changed.map((name) => ` ${draft[name] ? '' : 'no'}${name}`).join('')
  const added = draft.memberOf.filter((name) => !from.memberOf.includes(name))
  const removed = from.memberOf.filter((name) => !draft.memberOf.includes(name))
  return [
    before ? words !== '' && `alter role ${role}${words};` : `create role ${role}${words};`,
    ...added.map((name) => `grant ${identifier(name)} to ${role};`),
    ...removed.map((name) => `revoke ${identifier(name)} from ${role};`),
    draft.api !== from.api && `${draft.api ? 'grant' : 'revoke'} ${role} ${draft.api ? 'to' : 'from'} ${AUTHENTICATOR};`,
  ]
    .filter((statement) => statement !== false)
    .join('\n')
}

export function saveRole(draft: RoleDraft, before: RoleDraft | undefined): SqlChange {
  const name = draft.name.trim()
  return {
    title: before ? `Change the role ${name}` : `New role ${name}`,
    sql: roleSql(draft, before),
    migration: migrationName('role', name),
    done: `Role ${name} is ${before ? 'changed' : 'created'}`,
  }
}

export function dropRole({ name }: DatabaseRole): SqlChange {
  return {
    title: `Drop the role ${name}`,
    sql: `drop role ${identifier(name)};`,
    migration: migrationName('drop_role', name),
    done: `Role ${name} is dropped`,
  }
}
