import { Tabs as Radix } from 'radix-ui'
import { useEffect, useRef, type ComponentProps } from 'react'
import { cn } from '../lib/cn'

export const Tabs = Radix.Root

/** A row of tabs. If it is too wide, it scrolls sideways, and the active tab is in view. */
export function TabsList({ className, ...props }: ComponentProps<typeof Radix.List>) {
  const list = useRef<HTMLDivElement>(null)
  const shown = useRef<Element>(null)
  useEffect(() => {
    const active = list.current?.querySelector<HTMLElement>('[data-state=active]')
    if (!list.current || !active || active === shown.current) return
    shown.current = active
    // `scrollIntoView` could move the page too.
    const { left, right } = list.current.getBoundingClientRect()
    const tab = active.getBoundingClientRect()
    if (tab.right > right || tab.left < left) list.current.scrollLeft += tab.left - left - (right - left - tab.width) / 2
  })
  return <Radix.List ref={list} className={cn('flex overflow-x-auto border-b', className)} {...props} />
}

/** A tab. The active one has a coloured band. */
export function TabsTrigger({ className, ...props }: ComponentProps<typeof Radix.Trigger>) {
  return (
    <Radix.Trigger
      className={cn(
        'flex min-h-13 shrink-0 items-center gap-2 border-y-6 border-transparent px-3.5 font-medium max-xl:px-2.5 hover:bg-accent data-[state=active]:border-b-foreground data-[state=active]:font-bold focus-visible:-outline-offset-4',
        className,
      )}
      {...props}
    />
  )
}

export function TabsContent({ className, ...props }: ComponentProps<typeof Radix.Content>) {
  return <Radix.Content className={cn('pt-6', className)} {...props} />
}
