import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'

interface WindowRowsOptions<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Assumed height in pixels of an item that has not been measured. */
  estimate: number
  /** If false, all items are returned and nothing is measured. */
  enabled?: boolean
}

/**
 * Returns the items of a long list that are near the visible area, for a list that scrolls with the page. `frame` is the ref for the element around
 * the items.
 */
export function useWindowRows<Item, Frame extends HTMLElement>({
  items,
  keyOf,
  estimate,
  enabled = true,
}: WindowRowsOptions<Item>) {
  const frame = useRef<Frame>(null)
  // Position of the list on the page; undefined before the first layout. Until then nothing is rendered: otherwise every list would render its items
  // as if it were at the top of the page.
  const [place, setPlace] = useState<number>()
  useLayoutEffect(() => {
    if (!enabled) return
    const look = () => setPlace((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    look()
    // The content above the list may change its height, for example because of messages or wrapped filters.
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
