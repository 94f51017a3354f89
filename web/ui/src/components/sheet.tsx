import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { useReturnFocus } from '../hooks/use-return-focus'
import { cn } from '../lib/cn'

export const Sheet = Radix.Root
export const SheetTitle = Radix.Title

/** A panel that slides in from the right, for menus on phones. */
export function SheetContent({ className, children, ...props }: ComponentProps<typeof Radix.Content>) {
  const returnFocus = useReturnFocus()
  return (
    <Radix.Portal>
      <Radix.Overlay className="fixed inset-0 z-40 bg-ink/55 data-[state=open]:animate-appear" />
      <Radix.Content
        aria-describedby={undefined}
        className={cn(
          'fixed inset-y-0 right-0 z-50 flex w-[min(22rem,100vw)] flex-col overflow-y-auto bg-card text-card-foreground shadow-float data-[state=open]:animate-slide',
          className,
        )}
        {...returnFocus}
        {...props}
      >
        <Radix.Close
          aria-label="Close menu"
          className="absolute top-3 right-3 grid size-11 place-items-center rounded hover:bg-accent"
        >
          <X aria-hidden />
        </Radix.Close>
        {children}
      </Radix.Content>
    </Radix.Portal>
  )
}
