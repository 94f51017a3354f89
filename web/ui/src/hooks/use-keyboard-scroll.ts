import { useCallback, useState } from 'react'

const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex="0"]'

/**
 * Whether a scrolling element must be focusable itself, so that the keyboard can scroll it. This is so if its content is larger than the element and
 * contains nothing focusable. `ref` is the ref for the element.
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
