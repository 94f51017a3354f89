import { Tabs as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '../lib/cn'

export const Tabs = Radix.Root

export function TabsList({ className, ...props }: ComponentProps<typeof Radix.List>) {
  return <Radix.List className={cn('flex overflow-x-auto border-b', className)} {...props} />
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
