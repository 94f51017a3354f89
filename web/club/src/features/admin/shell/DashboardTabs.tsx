import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Tabs as Radix } from 'radix-ui'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useMedia } from '@/lib/use-media'
import { cn } from '@cloch/ui/lib/cn'
import { AwardDot } from '../shared/AwardDot'
import { isAward, tabLabel, tabNames, type TabName } from '../shared/tab-list'

interface DashboardTabsProps {
  tab: TabName
  onTab: (tab: TabName) => void
  /** Numbers shown after the tabs' names. */
  counts: Partial<Record<TabName, string>>
  children: ReactNode
}

const trigger = cn(
  'relative flex flex-none items-center gap-2 font-medium hover:bg-accent focus-visible:-outline-offset-4 data-[state=active]:font-bold',
  'min-h-13 border-y-6 border-transparent px-3.5 data-[state=active]:border-b-foreground',
  'lg:min-h-11.5 lg:border-y-0 lg:border-l-8 lg:pr-6 lg:pl-4.5 lg:data-[state=active]:border-l-foreground lg:data-[state=active]:bg-secondary',
)
/** Class of the first tab after the awards: a line and some space before the tab. */
const partStart =
  'lg:mt-7 lg:before:absolute lg:before:inset-x-5 lg:before:-top-3.5 lg:before:border-t lg:before:border-border lg:before:content-[""]'

/** The tabs. On wide screens they are a column at the left; otherwise a row that scrolls sideways. */
export function DashboardTabs({ tab, onTab, counts, children }: DashboardTabsProps) {
  const wide = useMedia('(min-width: 64rem)')
  const list = useRef<HTMLDivElement>(null)
  // The numbers on the tabs are loaded later. They change the width of the tabs, and so the tabs' positions.
  const moved = Object.values(counts).join()
  useEffect(() => {
    const strip = list.current
    const chosen = strip?.querySelector<HTMLElement>('[data-state=active]')
    // Scrolls only the row of tabs, sideways. `scrollIntoView` could move the page too.
    if (strip && chosen) strip.scrollLeft = chosen.offsetLeft - (strip.clientWidth - chosen.offsetWidth) / 2
  }, [tab, wide, moved])

  return (
    <Radix.Root
      value={tab}
      onValueChange={(value) => onTab(value as TabName)}
      orientation={wide ? 'vertical' : 'horizontal'}
      className="grid grid-cols-[minmax(0,1fr)] lg:min-h-[calc(100dvh-5rem)] lg:grid-cols-[15.5rem_minmax(0,1fr)]"
    >
      <div
        data-above-notices={wide ? undefined : ''}
        className="relative min-w-0 border-b bg-card no-print lg:border-r lg:border-b-0"
      >
        <Radix.List
          ref={list}
          aria-label="Dashboard"
          className="relative flex scroll-px-10 overflow-x-auto px-2.5 [scrollbar-width:none] lg:sticky lg:top-0 lg:max-h-dvh lg:flex-col lg:overflow-y-auto lg:px-0 lg:py-5"
        >
          {tabNames.map((name) => (
            <Radix.Trigger key={name} value={name} className={cn(trigger, name === 'contacts' && partStart)}>
              {isAward(name) ? <AwardDot award={name} /> : null}
              {tabLabel(name)}
              <span className="text-small font-normal text-muted-foreground tabular-nums lg:ml-auto">{counts[name]}</span>
            </Radix.Trigger>
          ))}
        </Radix.List>
        {wide ? null : <MoreTabs strip={list} moved={moved} />}
      </div>
      <Radix.Content
        value={tab}
        tabIndex={-1}
        className="min-w-0 px-[clamp(1.125rem,2.5vw,2.5rem)] pt-[clamp(1.5rem,2.5vw,2.5rem)] pb-16"
      >
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}

/** Arrow buttons that scroll to hidden tabs, one at each end of the row. Keyboard users do not need them. */
function MoreTabs({ strip, moved }: { strip: RefObject<HTMLDivElement | null>; moved: string }) {
  const [more, setMore] = useState({ before: false, after: false })
  useEffect(() => {
    const element = strip.current
    if (!element) return
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element
      setMore({ before: scrollLeft > 1, after: scrollLeft + clientWidth < scrollWidth - 1 })
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [strip, moved])
  const go = (direction: 1 | -1) => {
    const element = strip.current
    element?.scrollBy({ left: direction * element.clientWidth * 0.7, behavior: 'smooth' })
  }
  const arrow = 'absolute inset-y-0 grid w-9 place-items-center bg-card'
  return (
    <>
      {more.before ? (
        <button type="button" aria-hidden tabIndex={-1} className={cn(arrow, 'left-0 border-r')} onClick={() => go(-1)}>
          <ChevronLeft />
        </button>
      ) : null}
      {more.after ? (
        <button type="button" aria-hidden tabIndex={-1} className={cn(arrow, 'right-0 border-l')} onClick={() => go(1)}>
          <ChevronRight />
        </button>
      ) : null}
    </>
  )
}
