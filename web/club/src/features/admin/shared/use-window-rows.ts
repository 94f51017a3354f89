import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'

interface WindowRowsOptions<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Assumed height in pixels of an item that has not been measured. */
  estimate: number
  /** If false, nothing is measured and all items are returned. */
  enabled?: boolean
}

/** The items of a long list that are near the window, for a list that scrolls with the page. `frame` is the ref for the element around them. */
export function useWindowRows<Item, Frame extends HTMLElement>({
  items,
  keyOf,
  estimate,
  enabled = true,
}: WindowRowsOptions<Item>) {
  const frame = useRef<Frame>(null)
  // Position of the list; unknown before the first layout, when nothing is rendered. Otherwise each list would render as if it were at the top.
  const [place, setPlace] = useState<number>()
  useLayoutEffect(() => {
    if (!enabled) return
    const look = () => setPlace((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    look()
    // The height of the content above may change: messages, wrapped filters.
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
