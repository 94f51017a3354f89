import { createStore } from './store'

/** Whose eyes a request is made with. */
export type As = { role: 'postgres' | 'service_role' | 'anon' } | { user: string } | { claims: Record<string, unknown> }

/** The same in a query string. */
export function asParameter(as: As): string {
  if ('role' in as) return as.role
  return 'user' in as ? as.user : JSON.stringify(as.claims)
}

/** The same in words. */
export function describeAs(as: As, email?: string): string {
  if ('role' in as) return as.role
  return 'user' in as ? (email ?? `user ${as.user}`) : `claims with role ${JSON.stringify(as.claims.role ?? 'anon')}`
}

const viewing = createStore<As | null>(null)

/** Looks with somebody's eyes from now on; null: with one's own. */
export const viewAs = (as: As | null) => viewing.set(as)

/** Whose eyes rows are looked at with: the same from table to table, and after a look at another page, until they are given back. */
export const useViewingAs = () => [viewing.use(), viewAs] as const
