import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { freePlace, onPageChanges, type FreePlace } from '@cloch/ui/lib/free-place'
import { dismiss, notices, onNotices, type Notice } from '@/lib/notify'

/** The places for messages, in the order of preference. A page has its actions at the top right, so messages are there only if everything else is taken. */
const places = ['bottom-right', 'bottom-center', 'bottom-left', 'top-right'] as const
/** Below this width, a message is as wide as the window, and it stays at the bottom. */
const narrow = 640
/** Pixels between messages and the edges of the window. */
const margin = 16

const styles: Record<FreePlace, string> = {
  'bottom-right': 'right-4 bottom-4',
  'bottom-center': 'bottom-4 left-1/2 -translate-x-1/2',
  'bottom-left': 'bottom-4 left-4',
  'top-right': 'top-4 right-4',
}

/**
 * Messages at a place of the window where they cover nothing that people press. They are in a popover element, so that they are visible above an open
 * dialog too.
 */
export function Toasts() {
  const shown = useSyncExternalStore(onNotices, notices)
  const frame = useRef<HTMLElement>(null)
  const [place, setPlace] = useState<FreePlace>('bottom-right')
  useEffect(() => {
    const element = frame.current
    if (!element) return
    // The popover is closed and opened again. This moves it above all elements that were opened after it.
    if (element.matches(':popover-open')) element.hidePopover()
    if (shown.length > 0) element.showPopover()
  }, [shown])
  useFreePlace(frame, shown, place, setPlace)
  return (
    <section
      ref={frame}
      popover="manual"
      aria-label="Messages"
      aria-live="polite"
      data-messages
      className={cn(
        'inset-auto m-0 w-[min(25rem,calc(100vw-2rem))] gap-2 overflow-visible bg-transparent p-0 open:grid',
        styles[place],
      )}
    >
      {shown.map((notice) => (
        <Message key={notice.id} notice={notice} />
      ))}
    </section>
  )
}

/** Chooses the place when messages appear, and again when they cover something after the page has changed. */
function useFreePlace(
  frame: RefObject<HTMLElement | null>,
  shown: readonly Notice[],
  place: FreePlace,
  setPlace: (place: FreePlace) => void,
) {
  const now = useRef(place)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element || shown.length === 0) {
      now.current = 'bottom-right'
      return
    }
    const choose = () => {
      const { width, height } = element.getBoundingClientRect()
      // Without a layout, as in tests of components, everything has the size 0.
      if (width === 0) return
      const from = innerWidth < narrow ? (['bottom-right'] as const) : places
      now.current = freePlace(
        from,
        { width, height, margin, above: margin },
        element,
        from.length > 1 ? now.current : undefined,
      )
      setPlace(now.current)
    }
    return onPageChanges(choose, 'all elements')
  }, [frame, shown, setPlace])
}

function Message({ notice: { id, kind, title, description } }: { notice: Notice }) {
  const isError = kind === 'error'
  return (
    <div
      className={cn(
        'flex gap-3 rounded border-l-8 bg-popover p-3 text-popover-foreground shadow-float',
        isError ? 'border-destructive' : 'border-success',
      )}
    >
      {isError ? (
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
  )
}
