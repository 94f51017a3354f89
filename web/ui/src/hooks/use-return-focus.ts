import { useRef } from 'react'

const fields =
  'input:not([type=hidden], [type=file], [disabled], [readonly]), select:not([disabled]), textarea:not([disabled], [readonly])'

/**
 * Focuses the first field of a dialog when it opens, and returns the focus to the previous element when it closes. Radix does this only for dialogs
 * with a trigger; most of ours are opened by state. If a navigation happened meanwhile, the focus is left as it is. Put both handlers on the dialog's
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
