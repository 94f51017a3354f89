/** The place where messages appear is fetched when the first message is near. Whoever draws the page fetches it and puts it there. */

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

/** Asks for the place. @returns when it is on the page. @throws when its code could not be fetched; the next call tries again */
export function wantToaster(): Promise<void> {
  if (!place) {
    place = ask()
    if (isMounted) place.done()
    tell()
  }
  return place.mounted
}

/** Called by the place itself once it is on the page. */
export function toasterMounted() {
  isMounted = true
  place?.done()
}

/** Called when the code of the place could not be fetched. */
export function toasterFailed(error: unknown) {
  const asked = place
  place = undefined
  tell()
  asked?.failed(error instanceof Error ? error : new Error(String(error)))
}

export function isToasterWanted(): boolean {
  return place !== undefined
}

/** Calls back when the place is asked for. @returns a function that stops it */
export function onToasterWanted(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
