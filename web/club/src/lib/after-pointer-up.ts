/**
 * What moves the page waits until nothing is pressed. Pressing a button takes the focus from a field; if a message above went away at
 * that moment, the button would slip from under the pointer, and the click would be lost.
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
  // The click follows the release in the same task.
  for (const action of due) window.setTimeout(action)
}

/** Begins to watch presses. @returns a function that stops it */
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

/** Does something as soon as nothing is pressed, and never within the event that is being handled. */
export function afterPointerUp(action: () => void) {
  if (isPressed) waiting.push(action)
  else window.setTimeout(action)
}
