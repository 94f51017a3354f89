import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** False in a page rendered at build time and during its hydration, true afterwards. For content that can be rendered only in the browser. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
