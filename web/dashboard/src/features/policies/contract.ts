import { useQuery } from '@tanstack/react-query'
import { get } from '@/lib/api'

export const commands = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const
export type Command = (typeof commands)[number]

export interface Policy {
  name: string
  permissive: boolean
  command: Command | 'ALL'
  roles: string[]
  using: string | null
  check: string | null
}

/**
 * Access of a role: no access, full access, access as far as policies allow it, or no access in spite of a grant because no policy allows it.
 * For a view, `invoker` means that the rights and policies of the caller apply to the view's tables; `owner` means that those of the view's
 * owner apply.
 */
export interface Cell {
  access: 'none' | 'all' | 'policies' | 'never' | 'invoker' | 'owner'
  grant: 'table' | 'columns' | 'none'
  columns?: string[]
  policies: string[]
}

export interface PolicyTable {
  schema: string
  name: string
  kind: string
  rls: boolean
  forced: boolean
  policies: Policy[]
  matrix: Record<string, Record<Command, Cell>>
}

export interface Policies {
  roles: string[]
  tables: PolicyTable[]
}

export const policiesKey = ['policies'] as const

export const usePolicies = (schema: string) =>
  useQuery({
    queryKey: [...policiesKey, schema],
    queryFn: ({ signal }) => get<Policies>('/policies', { schema }, signal),
  })
