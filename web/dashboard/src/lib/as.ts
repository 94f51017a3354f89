import { createStore } from './store'

/** The caller with whose rights a request is made. */
export type As = { role: 'postgres' | 'service_role' | 'anon' } | { user: string } | { claims: Record<string, unknown> }

/** The caller as a query parameter. */
export function asParameter(as: As): string {
  if ('role' in as) return as.role
  return 'user' in as ? as.user : JSON.stringify(as.claims)
}

/** The caller as a text. */
export function describeAs(as: As, email?: string): string {
  if ('role' in as) return as.role
  return 'user' in as ? (email ?? `user ${as.user}`) : `claims with role ${JSON.stringify(as.claims.role ?? 'anon')}`
}

const viewing = createStore<As | null>(null)

/** Reads rows with the rights of another caller from now on. Null: with the rights of the operator. */
export const viewAs = (as: As | null) => viewing.set(as)

/** The caller with whose rights rows are read. It stays the same for other tables, and after the user has visited another page, until it is reset. */
export const useViewingAs = () => [viewing.use(), viewAs] as const
