import { X } from 'lucide-react'
import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import { NavigationType } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { useUnsaved, type Move } from '@/lib/unsaved'

interface DialogProps {
  title: string
  description?: ReactNode
  onClose: () => void
  children: ReactNode
  /** Buttons at the bottom, which stay visible while the content scrolls. */
  footer?: ReactNode
  /** `middle`: a window in the middle. `side`: a panel at the right with the full height. `menu`: a panel at the left. */
  place?: 'middle' | 'side' | 'menu'
  className?: string
  /** Whether the dialog contains unsaved input. If so, a click outside the dialog does not close it. */
  isDirty?: boolean
}

const places = {
  middle:
    'm-auto max-h-[calc(100dvh-3rem)] w-[min(44rem,calc(100vw-2rem))] rounded border-t-8 border-foreground animate-rise max-sm:max-h-dvh max-sm:h-dvh max-sm:w-screen max-sm:max-w-none max-sm:rounded-none',
  side: 'my-0 mr-0 ml-auto h-dvh max-h-none w-[min(34rem,100vw)] max-w-none border-l animate-slide',
  menu: 'my-0 ml-0 mr-auto h-dvh max-h-none w-[min(18rem,90vw)] max-w-none border-r animate-appear',
}

const fields = 'input:not([type=hidden], [disabled]), select:not([disabled]), textarea:not([disabled])'

/**
 * A dialog above the page. It uses the browser's own dialog element, which keeps the focus inside, disables the rest of the page, closes with Escape
 * and then returns the focus. It needs no inline styles, which the content security policy forbids. Render it only while it is open.
 */
export function Dialog({
  title,
  description,
  onClose,
  children,
  footer,
  place = 'middle',
  className,
  isDirty = false,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    const first = element?.querySelector<HTMLElement>('[data-first-field]')
    const field = first ?? element?.querySelector<HTMLElement>(`[data-body] :is(${fields})`)
    field?.focus()
    return () => element?.close()
  }, [])
  useEscape(dialog, onClose)
  useUnsaved(isDirty ? `What is typed under “${title}” would be lost.` : undefined, goesBack)
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className={cn(
        'fixed flex-col overflow-hidden bg-popover p-0 text-popover-foreground shadow-float open:flex',
        places[place],
        className,
      )}
      onMouseDown={(event) => {
        if (event.target === dialog.current && !isDirty) onClose()
      }}
    >
      <header className="flex items-start gap-3 border-b py-2.5 pr-2 pl-5">
        <div className="grid flex-1 gap-0.5 pt-1.5 pb-1">
          <h2 id={heading} className="text-[1.1875rem] leading-tight">
            {title}
          </h2>
          {description !== undefined && <div className="text-small text-muted-foreground">{description}</div>}
        </div>
        <Button variant="ghost" size="compact-icon" aria-label="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      <div data-body className="grid min-h-0 flex-1 content-start gap-4 overflow-y-auto p-5">
        {children}
      </div>
      {footer !== undefined && <footer className="flex flex-wrap items-center gap-2.5 border-t px-5 py-3">{footer}</footer>}
    </dialog>
  )
}

/**
 * Whether a navigation was caused by the browser's Back or Forward button. While a dialog is open, nothing below it can be clicked, so only these
 * buttons can leave the page unintentionally. Navigations by the dialog itself are intended.
 */
const goesBack = ({ historyAction, currentLocation, nextLocation }: Move) =>
  historyAction === NavigationType.Pop && currentLocation.pathname !== nextLocation.pathname

/** Escape does not close the dialog directly, but calls the page's close handler. Therefore only the page's state decides what is open. */
function useEscape(dialog: React.RefObject<HTMLDialogElement | null>, onClose: () => void) {
  const close = useRef(onClose)
  useEffect(() => {
    close.current = onClose
  })
  useEffect(() => {
    const element = dialog.current
    const cancel = (event: Event) => {
      if (event.target !== element) return
      event.preventDefault()
      close.current()
    }
    element?.addEventListener('cancel', cancel)
    return () => element?.removeEventListener('cancel', cancel)
  }, [dialog])
}
