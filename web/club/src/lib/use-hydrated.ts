import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/**
 * False when a page is rendered at build time and while it is hydrated; afterwards true. Use it for content that can be rendered only in the browser.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
