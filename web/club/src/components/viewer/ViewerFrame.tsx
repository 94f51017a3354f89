import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useReturnFocus } from '@cloch/ui/hooks/use-return-focus'

interface ViewerFrameProps {
  title: string
  /** Controls between the title and the close button. */
  tools?: ReactNode
  children: ReactNode
  footer?: ReactNode
  onClose: () => void
}

/** A full-window viewer for pictures. Escape closes it. */
export function ViewerFrame({ title, tools, children, footer, onClose }: ViewerFrameProps) {
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Content
          aria-describedby={undefined}
          {...returnFocus}
          className="fixed inset-0 z-50 flex flex-col bg-background text-base text-foreground data-[state=open]:animate-appear"
        >
          <header data-above-notices className="flex flex-wrap items-center gap-x-4 border-b bg-card py-1.5 pr-2 pl-4">
            <Radix.Title className="mr-auto font-sans text-[1.0625rem] leading-snug font-bold tracking-normal [overflow-wrap:anywhere]">
              {title}
            </Radix.Title>
            {tools}
            <Radix.Close aria-label="Close" className="grid size-11 place-items-center rounded hover:bg-accent">
              <X aria-hidden />
            </Radix.Close>
          </header>
          <div className="flex min-h-0 flex-1 bg-muted">{children}</div>
          {footer}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
