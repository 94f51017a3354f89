import { useEffect, useState } from 'react'
import { useSonner } from 'sonner'
import { freePlace, onPageChanges, type FreePlace } from '../lib/free-place'

const places = ['top-right', 'bottom-right', 'bottom-center', 'bottom-left'] as const
/** Below this width, a message is as wide as the window. There are two places for it: below the headings, and at the lower edge. */
const narrow = 600
/** Size of a message before it is rendered, in pixels. */
const estimate = { width: 400, height: 96 }
const margin = 20

/**
 * The place for messages, at which they cover no button of a heading or first row, and as few others as possible. It is chosen when messages appear.
 * They do not move while they are shown, except to free a dialog's buttons.
 */
export function useFreePlace(isWanted: boolean): FreePlace {
  const { toasts } = useSonner()
  const [place, setPlace] = useState<FreePlace>('top-right')
  const isShown = isWanted && toasts.length > 0
  useEffect(() => {
    if (!isShown) return
    let now: FreePlace | undefined
    const choose = () => {
      const frame = document.querySelector('[data-sonner-toaster]')
      const shown = frame?.querySelector('[data-sonner-toast]')?.getBoundingClientRect()
      const isNarrow = innerWidth < narrow
      const width = isNarrow ? innerWidth - 2 * margin : estimate.width
      const above = parseFloat(document.documentElement.style.getPropertyValue('--notices-top')) || 92
      const from = isNarrow ? places.slice(0, 2) : places
      now = freePlace(from, { width, height: Math.max(estimate.height, shown?.height ?? 0), margin, above }, frame, now)
      setPlace(now)
    }
    // Dialogs and menus are added to the body. Other changes of the page do not move a message that somebody reads.
    return onPageChanges(choose, 'body')
  }, [isShown])
  return place
}
