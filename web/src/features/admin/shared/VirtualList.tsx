import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { usePrinting } from './use-printing'

interface VirtualListProps<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Height in pixels before an item has been measured. */
  estimate: number
  render: (item: Item, index: number) => ReactNode
}

/** A long list that scrolls with the page and holds only what is near the window; all of it on paper. */
export function VirtualList<Item>({ items, keyOf, estimate, render }: VirtualListProps<Item>) {
  const printing = usePrinting()
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const place = () => setTop((frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY)
    place()
    // What stands above can change its height: messages, filters that wrap.
    const watcher = new ResizeObserver(place)
    watcher.observe(document.body)
    return () => watcher.disconnect()
  }, [])

  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
    overscan: 6,
    scrollMargin: top,
  })

  if (printing)
    return (
      <div>
        {items.map((item, index) => (
          <div key={keyOf(item)}>{render(item, index)}</div>
        ))}
      </div>
    )
  return (
    <div ref={frame} className="relative" style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0 focus-within:z-10"
            style={{ transform: `translateY(${start - top}px)` }}
          >
            {render(item, index)}
          </div>
        )
      })}
    </div>
  )
}
