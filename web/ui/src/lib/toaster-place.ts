/** The place where messages appear is fetched when the first message is near. */

let wanted = false
const listeners = new Set<() => void>()
let markMounted: () => void = () => undefined
const mounted = new Promise<void>((resolve) => {
  markMounted = resolve
})

/** Asks for the place. @returns when it is on the page */
export function wantToaster(): Promise<void> {
  wanted = true
  listeners.forEach((listener) => listener())
  return mounted
}

/** Called by the place itself once it is on the page. */
export function toasterMounted() {
  markMounted()
}

export function isToasterWanted(): boolean {
  return wanted
}

/** Calls back when the place is asked for. @returns a function that stops it */
export function onToasterWanted(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
