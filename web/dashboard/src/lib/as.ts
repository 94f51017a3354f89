import { useSyncExternalStore } from 'react'

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

let viewing: As | null = null
const listeners = new Set<() => void>()

/** Looks with somebody's eyes from now on; null: with one's own. */
export function viewAs(as: As | null) {
  viewing = as
  listeners.forEach((listener) => listener())
}

/** Whose eyes rows are looked at with: the same from table to table, and after a look at another page, until they are given back. */
export function useViewingAs() {
  const as = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => viewing,
  )
  return [as, viewAs] as const
}
