import type { ReactNode } from 'react'
import { usePrinting } from './use-printing'
import { useWindowRows } from './use-window-rows'

interface VirtualListProps<Item> {
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** Assumed height in pixels of an item that has not been measured. */
  estimate: number
  /** Accessible name. With a name, assistive technology treats the element as a list. */
  label?: string
  render: (item: Item, index: number) => ReactNode
}

/** A long list that scrolls with the page. Only items near the visible area are rendered; for printing, all items are. */
export function VirtualList<Item>({ items, keyOf, estimate, label, render }: VirtualListProps<Item>) {
  const printing = usePrinting()
  const { frame, top, near, virtualizer } = useWindowRows<Item, HTMLDivElement>({ items, keyOf, estimate })
  const list = label === undefined ? undefined : 'list'
  const listItem = label === undefined ? undefined : 'listitem'

  if (printing)
    return (
      <div role={list} aria-label={label}>
        {items.map((item, index) => (
          <div key={keyOf(item)} role={listItem}>
            {render(item, index)}
          </div>
        ))}
      </div>
    )
  return (
    <div ref={frame} role={list} aria-label={label} className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {near.map(({ index, key, start }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <div
            key={key}
            ref={virtualizer.measureElement}
            role={listItem}
            aria-setsize={listItem && items.length}
            aria-posinset={listItem && index + 1}
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
