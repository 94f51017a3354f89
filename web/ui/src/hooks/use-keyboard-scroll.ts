import { useCallback, useState } from 'react'

const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex="0"]'

/**
 * Whether a part that scrolls has to take the focus itself: it is longer than its room, and holds nothing that the keyboard could reach.
 * `ref` is given to the part.
 */
export function useKeyboardScroll() {
  const [isNeeded, setIsNeeded] = useState(false)
  const ref = useCallback((part: HTMLElement | null) => {
    if (!part) return
    const look = () => setIsNeeded(part.scrollHeight > part.clientHeight && part.querySelector(focusable) === null)
    look()
    const changes = new MutationObserver(look)
    changes.observe(part, { childList: true, subtree: true, characterData: true })
    addEventListener('resize', look)
    return () => {
      changes.disconnect()
      removeEventListener('resize', look)
    }
  }, [])
  return { ref, isNeeded }
}
