import { useCallback, useState } from 'react'

/** Number of entries that are rendered at first. The same number is added each time the user comes near the end of the list. */
const step = 60
/** If the end of the list is less than this distance below the visible area, more entries are rendered. */
const margin = '0px 0px 2000px 0px'

/**
 * Returns the number of entries of a long list to render: a few at first, and more when the user comes near the end of the list. If thousands of
 * cards were rendered at once, the page would not react for seconds.
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
