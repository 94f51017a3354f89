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
  // Unknown until there is a frame: nothing is drawn before, lest every list draws as if it stood at the top.
  const [place, setPlace] = useState<number>()
  useLayoutEffect(() => {
    if (!enabled) return
    const look = () => setPlace((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    look()
    // What stands above can change its height: messages, filters that wrap.
    const watcher = new ResizeObserver(look)
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
    scrollMargin: place ?? 0,
    enabled,
  })
  return { frame, top: place ?? 0, near: place === undefined ? [] : virtualizer.getVirtualItems(), virtualizer }
}
