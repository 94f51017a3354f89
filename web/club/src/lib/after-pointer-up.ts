/**
 * Delays changes that move the page until no button of the pointer is pressed. Pressing a button takes the focus from a field; if a message above
 * disappeared at that moment, the button would move away from the pointer, and the click would be lost.
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
  // The click event follows the release in the same task, so the action runs in a later one.
  for (const action of due) window.setTimeout(action)
}

/** Starts watching the pointer. @returns a function that stops it */
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

/** Runs an action as soon as no pointer button is pressed, and never inside the present event handler. */
export function afterPointerUp(action: () => void) {
  if (isPressed) waiting.push(action)
  else window.setTimeout(action)
}
