import { useRef } from 'react'

const fields =
  'input:not([type=hidden], [type=file], [disabled], [readonly]), select:not([disabled]), textarea:not([disabled], [readonly])'

/**
 * Focuses the first field of a dialog when it opens. When the dialog closes, returns the focus to the element that had it before. Radix does this
 * only for dialogs with a trigger, but most dialogs here are opened by a state. If the user has navigated to another page meanwhile, the focus is not
 * changed. Add both handlers to the content of the dialog.
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
