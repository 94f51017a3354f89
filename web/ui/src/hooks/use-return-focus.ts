import { useRef } from 'react'

/**
 * Gives the focus back to what had it when a window opened. Radix does so for windows with a trigger of their own; most of ours are
 * opened by what is shown. A page that was gone to meanwhile keeps the focus that it took. Put the two handlers on the window's
 * content.
 */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost && opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}
