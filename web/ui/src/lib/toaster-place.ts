/**
 * The container for messages is loaded shortly before the first message. This module connects the code that shows messages with the component of the
 * page, which loads and renders the container.
 */

interface Place {
  mounted: Promise<void>
  done: () => void
  failed: (error: Error) => void
}

let place: Place | undefined
let isMounted = false
const listeners = new Set<() => void>()

function ask(): Place {
  let done: () => void = () => undefined
  let failed: (error: Error) => void = () => undefined
  const mounted = new Promise<void>((resolve, reject) => {
    done = resolve
    failed = reject
  })
  return { mounted, done, failed }
}

function tell() {
  listeners.forEach((listener) => listener())
}

/**
 * Requests the container.
 * @returns a promise that resolves when the page contains the container
 * @throws if its code could not be loaded; the next call tries again
 */
export function wantToaster(): Promise<void> {
  if (!place) {
    place = ask()
    if (isMounted) place.done()
    tell()
  }
  return place.mounted
}

/** Called by the container when the page contains it. */
export function toasterMounted() {
  isMounted = true
  place?.done()
}

/** Called if the container's code could not be loaded. */
export function toasterFailed(error: unknown) {
  const asked = place
  place = undefined
  tell()
  asked?.failed(error instanceof Error ? error : new Error(String(error)))
}

export function isToasterWanted(): boolean {
  return place !== undefined
}

/** Calls a listener when the container is requested. @returns a function that stops this */
export function onToasterWanted(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
