type TextField = HTMLInputElement | HTMLTextAreaElement

/** The text field that has the focus, with its text and the selection in it. */
export interface Caret {
  field: TextField
  text: string
  /** Null if the selection of the field cannot be read, as in a number field. */
  start: number | null
  end: number | null
  direction: TextField['selectionDirection']
}

const choices = new Set(['radio', 'checkbox', 'file', 'button', 'submit'])

/** @returns undefined if no text field of this part of the page has the focus */
export function readCaret(within: HTMLElement): Caret | undefined {
  const field = document.activeElement
  const isText = field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && !choices.has(field.type))
  if (!isText || !within.contains(field)) return undefined
  const { value: text, selectionStart: start, selectionEnd: end, selectionDirection: direction } = field
  return { field, text, start, end, direction }
}

/**
 * Sets the caret after a program has written into the fields. If the visitor had typed, the caret returns to its earlier position. If the field
 * was empty and now contains a kept text, this text is selected. The next typed character then replaces the text, as after the Tab key.
 */
export function placeCaret({ field, text, start, end, direction }: Caret) {
  if (document.activeElement !== field) return
  if (text === '') {
    if (field.value !== '') field.select()
  } else if (field.value === text && start !== null && end !== null) {
    field.setSelectionRange(start, end, direction ?? 'none')
  }
}
