import { useCallback, useState } from 'react'

/** Number of entries that are rendered at first, and added each time the end of the list is near. */
const step = 60
/** Distance below the window at which the end of the list counts as near. */
const margin = '0px 0px 2000px 0px'

/**
 * The number of entries of a long list to render: some at first, more when the end of the list is near. Rendering thousands of cards at once would
 * block the page for seconds.
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
