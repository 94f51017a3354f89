import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** False in a page drawn at build time and while it is being taken over, true from then on: for what only a browser can draw. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
