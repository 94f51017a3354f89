import { startTransition, useEffect, useState } from 'react'

/** False at build time, and from `beginHydration` until the page is hydrated. */
let isHydrated = typeof document !== 'undefined'

/** Must be called before pages are rendered at build time, and before such a page is hydrated. */
export function beginHydration() {
  isHydrated = false
}

/** Must be called when the page is hydrated. Parts that appear later are rendered in the browser from the start. */
export function endHydration() {
  isHydrated = true
}

/**
 * False when a page is rendered at build time and while it is hydrated; afterwards true. Use it for content that can be rendered only in the
 * browser. The second rendering is a transition: React splits it into small steps, between which the page can react to the visitor.
 */
export function useHydrated(): boolean {
  const [value, setValue] = useState(isHydrated)
  useEffect(() => {
    if (!value) startTransition(() => setValue(true))
  }, [value])
  return value
}
