import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { useKeyboardScroll } from '../hooks/use-keyboard-scroll'
import { useReturnFocus } from '../hooks/use-return-focus'
import { cn } from '../lib/cn'

export const Dialog = Radix.Root
export const DialogTrigger = Radix.Trigger
export const DialogClose = Radix.Close

/** The box of a dialog. On phones it fills the screen; otherwise it is 44rem wide. It has a coloured band at its top. */
export function DialogContent({ className, children, ...props }: ComponentProps<typeof Radix.Content>) {
  const returnFocus = useReturnFocus()
  return (
    <Radix.Portal>
      <Radix.Overlay className="fixed inset-0 z-40 bg-ink/55 data-[state=open]:animate-appear" />
      <Radix.Content
        className={cn(
          'fixed inset-0 z-50 flex flex-col overflow-hidden border-t-8 border-foreground bg-popover text-popover-foreground shadow-float data-[state=open]:animate-rise',
          'sm:inset-auto sm:top-1/2 sm:left-1/2 sm:max-h-[calc(100dvh-3rem)] sm:w-[min(44rem,calc(100vw-3rem))] sm:-translate-1/2 sm:rounded',
          className,
        )}
        {...returnFocus}
        onInteractOutside={keepForMessages}
        {...props}
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  )
}

/** Keeps a dialog open if the user clicks a button in a message. Such a click is not a click outside the dialog. */
export function keepForMessages(event: CustomEvent<{ originalEvent: Event }>) {
  const { target } = event.detail.originalEvent
  if (target instanceof Element && target.closest('[data-sonner-toaster], [data-message]')) event.preventDefault()
}

/** Title and close button of a dialog. All other content belongs in a DialogBody. */
export function DialogHeader({ children, className, ...props }: ComponentProps<'header'>) {
  return (
    <header
      data-above-notices
      className={cn('flex items-start justify-between gap-4 border-b py-4 pr-3 pl-6', className)}
      {...props}
    >
      <div className="grid gap-1 pt-1.5">{children}</div>
      <Radix.Close aria-label="Close" className="grid size-11 shrink-0 place-items-center rounded hover:bg-accent">
        <X aria-hidden />
      </Radix.Close>
    </header>
  )
}

export function DialogTitle({ className, ...props }: ComponentProps<typeof Radix.Title>) {
  return <Radix.Title className={cn('text-[1.375rem] leading-tight', className)} {...props} />
}

export function DialogDescription({ className, ...props }: ComponentProps<typeof Radix.Description>) {
  return <Radix.Description className={cn('text-muted-foreground', className)} {...props} />
}

/** The part of a dialog that scrolls. It can be scrolled with the keyboard too. */
export function DialogBody({ className, ...props }: Omit<ComponentProps<'div'>, 'ref'>) {
  const { ref, isNeeded } = useKeyboardScroll()
  return (
    <div
      ref={ref}
      tabIndex={isNeeded ? 0 : undefined}
      className={cn('grid content-start gap-4 overflow-y-auto p-6 focus-visible:-outline-offset-4', className)}
      {...props}
    />
  )
}

export function DialogFooter({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('flex flex-wrap gap-3 border-t px-6 py-4', className)} {...props} />
}
