/**
 * What is typed into a window of the back-office, kept for the life of the tab: a reload, a mistaken Escape or a page that broke loses
 * nothing. It goes when it is saved, given up, or when the admin signs out.
 */

const prefix = 'kept:'

/** What was kept under a name, or undefined if nothing that can be read was. */
export function readKept(name: string): unknown {
  try {
    const text = sessionStorage.getItem(prefix + name)
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export function keep(name: string, value: unknown) {
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {
    // A device that keeps nothing is no reason to stop anyone from typing.
  }
}

export function forgetKept(name: string) {
  try {
    sessionStorage.removeItem(prefix + name)
  } catch {
    // See keep.
  }
}

/** Forgets everything: somebody else may sit down here. */
export function forgetAllKept() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  } catch {
    // See keep.
  }
}
