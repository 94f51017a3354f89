/**
 * Delays changes that move the page while a pointer button is pressed. When the user presses a button of the page, the focused field loses the focus.
 * If a message above disappeared at that moment, the button would move away from the pointer, and the click would be lost.
 */

let isPressed = false
let waiting: (() => void)[] = []

const press = () => {
  isPressed = true
}

function release() {
  isPressed = false
  const due = waiting
  waiting = []
  // The click event follows the release of the pointer in the same task. Therefore the actions run in a later task.
  for (const action of due) window.setTimeout(action)
}

/** Starts watching the pointer. @returns a function that stops this */
export function watchPresses(): () => void {
  const options = { capture: true }
  window.addEventListener('pointerdown', press, options)
  window.addEventListener('pointerup', release, options)
  window.addEventListener('pointercancel', release, options)
  return () => {
    window.removeEventListener('pointerdown', press, options)
    window.removeEventListener('pointerup', release, options)
    window.removeEventListener('pointercancel', release, options)
    release()
  }
}

/** Runs an action as soon as no pointer button is pressed. The action never runs inside the current event handler. */
export function afterPointerUp(action: () => void) {
  if (isPressed) waiting.push(action)
  else window.setTimeout(action)
}
