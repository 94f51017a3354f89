import { ChevronRight } from 'lucide-react'
import { Collapsible } from 'radix-ui'
import type { ReactNode } from 'react'

interface GroupProps {
  title: string
  count: string
  /** Content to the left of the heading. A click on it does not fold the group. */
  aside?: ReactNode
  children: ReactNode
}

/** A section that the user can fold. At first it is unfolded. */
export function Group({ title, count, aside, children }: GroupProps) {
  return (
    <Collapsible.Root defaultOpen className="mb-7">
      <div className="flex items-center gap-3 border-b-3 border-foreground">
        {aside}
        <h2 className="flex-1 text-[1.25rem]">
          <Collapsible.Trigger className="group flex min-h-12 w-full items-center gap-3 text-left hover:bg-accent">
            <ChevronRight aria-hidden className="transition-transform duration-150 group-data-[state=open]:rotate-90" />
            {title}
            <span className="font-sans text-base font-normal text-muted-foreground">{count}</span>
          </Collapsible.Trigger>
        </h2>
      </div>
      {/* The group already has a thick line at its top. */}
      <Collapsible.Content className="[&_thead]:border-b [&_thead]:border-input">{children}</Collapsible.Content>
    </Collapsible.Root>
  )
}
