import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'

interface WindowRowsOptions<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Height in pixels before an item has been measured. */
  estimate: number
  /** Off: nothing is measured and nothing is chosen. */
  enabled?: boolean
}

/** Which items of a long list are near the window, for a list that scrolls with the page. `frame` goes on the element around them. */
export function useWindowRows<Item, Frame extends HTMLElement>({
  items,
  keyOf,
  estimate,
  enabled = true,
}: WindowRowsOptions<Item>) {
  const frame = useRef<Frame>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (!enabled) return
    const place = () => setTop((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    place()
    // What stands above can change its height: messages, filters that wrap.
    const watcher = new ResizeObserver(place)
    watcher.observe(document.body)
    return () => watcher.disconnect()
  }, [enabled])

  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
    overscan: 6,
    scrollMargin: top,
    enabled,
  })
  return { frame, top, virtualizer }
}
