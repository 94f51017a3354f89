import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { dismiss, notices, onNotices } from '@/lib/notify'

/** Messages at the top right, below the page's header. They are in a popover element, so that they are visible above an open dialog too. */
export function Toasts() {
  const shown = useSyncExternalStore(onNotices, notices)
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    // The popover is closed and opened again. This moves it above all elements that were opened after it.
    if (element.matches(':popover-open')) element.hidePopover()
    if (shown.length > 0) element.showPopover()
  }, [shown])
  return (
    <section
      ref={frame}
      popover="manual"
      aria-label="Messages"
      aria-live="polite"
      className="inset-auto top-4 right-4 m-0 w-[min(25rem,calc(100vw-2rem))] gap-2 overflow-visible bg-transparent p-0 open:grid"
    >
      {shown.map(({ id, kind, title, description }) => (
        <div
          key={id}
          className={cn(
            'flex gap-3 rounded border-l-8 bg-popover p-3 text-popover-foreground shadow-float',
            kind === 'error' ? 'border-destructive' : 'border-success',
          )}
        >
          {kind === 'error' ? (
            <TriangleAlert aria-hidden className="mt-0.5 text-destructive" />
          ) : (
            <CircleCheck aria-hidden className="mt-0.5 text-success" />
          )}
          <div className="grid flex-1 gap-0.5">
            <p className="font-bold">{title}</p>
            {description !== undefined && <p className="text-small text-muted-foreground">{description}</p>}
          </div>
          <Button
            variant="ghost"
            size="compact-icon"
            className="-my-1 -mr-1"
            aria-label="Close the message"
            onClick={() => dismiss(id)}
          >
            <X aria-hidden />
          </Button>
        </div>
      ))}
    </section>
  )
}
