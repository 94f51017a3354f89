import { useRef } from 'react'

/**
 * Gives the focus back to what had it when a window opened. Radix does so for windows with a trigger of their own; most of ours are
 * opened by what is shown. Put the two handlers on the window's content.
 */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      if (opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}
