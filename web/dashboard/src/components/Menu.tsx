import { useLayoutEffect, useRef, type KeyboardEvent } from 'react'
import { cn } from '@cloch/ui/lib/cn'

export interface MenuItem {
  name: string
  run: () => void
  /** Whether the action deletes something. */
  isDestructive?: boolean
  /** Whether the item opens something else in place of the menu. If so, `onClose` is not called. */
  isReplaced?: boolean
}

interface MenuProps {
  label: string
  /** Groups of items, separated by a line. */
  groups: readonly (readonly MenuItem[])[]
  /** Position of the menu, in pixels of the window. */
  at: { x: number; y: number }
  onClose: () => void
}

/** Pixels between the menu and the edge of the window. */
const margin = 8

/** A context menu. The browser closes it after Escape or a click outside, and then returns the focus. Arrow keys move between the items. */
export function Menu({ label, groups, at, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  const isTaken = useRef(false)
  const take = ({ run, isReplaced = false }: MenuItem) => {
    isTaken.current = true
    // The focus is returned before the action. If the action opens a dialog, the dialog can later return the focus to the same element.
    menu.current?.hidePopover()
    run()
    if (!isReplaced) onClose()
  }
  useLayoutEffect(() => {
    const element = menu.current
    if (!element) return
    element.showPopover()
    const { width, height } = element.getBoundingClientRect()
    const within = (place: number, size: number, all: number) => `${Math.max(margin, Math.min(place, all - size - margin))}px`
    element.style.left = within(at.x, width, window.innerWidth)
    element.style.top = within(at.y, height, window.innerHeight)
    items(element)[0]?.focus()
    return () => element.hidePopover()
  }, [at])
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const all = items(event.currentTarget)
    const place = all.indexOf(document.activeElement as HTMLElement)
    const next: Record<string, number> = {
      ArrowDown: (place + 1) % all.length,
      ArrowUp: (place - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }
    const to = next[event.key]
    if (to !== undefined) all[to]?.focus()
    else if (event.key === 'Tab') onClose()
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onToggle={(event) => {
        if (event.newState === 'closed' && !isTaken.current) onClose()
      }}
      className="fixed inset-auto m-0 max-h-[calc(100dvh-1rem)] min-w-52 overflow-y-auto rounded border bg-popover p-1 text-small text-popover-foreground shadow-float"
    >
      {groups
        .filter((group) => group.length > 0)
        .map((group, index) => (
          <div key={index} role="group" className={cn(index > 0 && 'mt-1 border-t pt-1')}>
            {group.map((item) => (
              <button
                key={item.name}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className={cn(
                  'flex min-h-8 w-full items-center rounded px-2.5 text-left hover:bg-accent focus-visible:-outline-offset-2 pointer-coarse:min-h-11',
                  item.isDestructive && 'text-destructive',
                )}
                onClick={() => take(item)}
              >
                {item.name}
              </button>
            ))}
          </div>
        ))}
    </div>
  )
}

const items = (element: HTMLElement) => [...element.querySelectorAll<HTMLElement>('[role=menuitem]')]
