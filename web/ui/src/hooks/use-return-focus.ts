import { useRef } from 'react'

const fields =
  'input:not([type=hidden], [type=file], [disabled], [readonly]), select:not([disabled]), textarea:not([disabled], [readonly])'

/**
 * Puts the focus into the first field of a window, where there is one, and gives it back to what had it when a window opened. Radix does so for windows with a trigger of their own; most of ours are
 * opened by what is shown. A page that was gone to meanwhile keeps the focus that it took. Put the two handlers on the window's
 * content.
 */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = document.activeElement
      const field = event.target instanceof HTMLElement ? event.target.querySelector<HTMLElement>(fields) : null
      if (!field) return
      event.preventDefault()
      field.focus()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost && opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}
