import { useCallback, useState } from 'react'

/** Entries that are drawn at first, and each time that the end of the list comes near. */
const step = 60
/** How far below the window the end of the list may be before more is drawn. */
const margin = '0px 0px 2000px 0px'

/**
 * How many entries of a long list are drawn: some at first, more whenever the end of the list comes near. Thousands of cards at once
 * would stop the page for seconds.
 */
export function useGrowingCount(total: number) {
  const [count, setCount] = useState(step)
  const grow = useCallback(() => setCount((now) => now + step), [])
  const end = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return
      const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && grow(), { rootMargin: margin })
      observer.observe(element)
      return () => observer.disconnect()
    },
    [grow],
  )
  return { shown: Math.min(count, total), grow, end }
}
