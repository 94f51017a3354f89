import { Plus, X } from 'lucide-react'
import { useRef, type KeyboardEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { titleOf, type Tab } from './tabs'

interface TabStripProps {
  tabs: readonly Tab[]
  active: string
  /** Id of the element that the tabs control. */
  panel: string
  onChoose: (id: string) => void
  onOpen: () => void
  onClose: (id: string) => void
}

/** The tabs of the open scripts. Arrow keys move to another tab, and Delete closes the active tab. */
export function TabStrip({ tabs, active, panel, onChoose, onOpen, onClose }: TabStripProps) {
  const list = useRef<HTMLDivElement>(null)
  const chosen = tabs.find(({ id }) => id === active)
  const focus = (id: string) =>
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(id)}"]`)?.focus())
  const press = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === active)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (event.key === 'Delete') {
      const next = tabs[at + 1] ?? tabs[at - 1]
      onClose(active)
      if (next) focus(next.id)
    } else if (to !== undefined) {
      const next = tabs[(to + tabs.length) % tabs.length]
      if (next) {
        onChoose(next.id)
        focus(next.id)
      }
    } else return
    event.preventDefault()
  }
  return (
    <div className="flex min-w-0 items-center gap-1 border-b">
      <div ref={list} role="tablist" aria-label="Scripts" className="flex min-w-0 overflow-x-auto" onKeyDown={press}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            data-tab={tab.id}
            aria-selected={tab.id === active}
            aria-controls={panel}
            tabIndex={tab.id === active ? 0 : -1}
            className={cn(
              'max-w-52 shrink-0 truncate border-b-3 border-transparent px-3 py-1.5 text-small hover:bg-accent focus-visible:-outline-offset-2 pointer-coarse:min-h-11',
              tab.id === active && 'border-b-foreground font-bold',
            )}
            onClick={() => onChoose(tab.id)}
          >
            {titleOf(tab)}
          </button>
        ))}
      </div>
      {chosen && (
        <Button
          variant="ghost"
          size="compact-icon"
          aria-label={`Close ${titleOf(chosen)}`}
          title="Close this script (Delete)"
          onClick={() => onClose(active)}
        >
          <X aria-hidden />
        </Button>
      )}
      <Button variant="ghost" size="compact-icon" aria-label="New script" title="New script" onClick={onOpen}>
        <Plus aria-hidden />
      </Button>
    </div>
  )
}
