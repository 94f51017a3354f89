/**
 * Unsaved input of the back-office's dialogs, in the tab's session storage: a reload, a mistaken Escape or a crashed page loses nothing.
 * It is removed when it is saved or discarded, and when the admin signs out.
 */

const prefix = 'kept:'

/** The input stored under a name, or undefined if there is none that can be parsed. */
export function readUnsaved(name: string): unknown {
  try {
    const text = sessionStorage.getItem(prefix + name)
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export function keepUnsaved(name: string, value: unknown) {
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {
    // Without storage the form still works, but its input is not stored.
  }
}

export function forgetUnsaved(name: string) {
  try {
    sessionStorage.removeItem(prefix + name)
  } catch {
    // See keepUnsaved.
  }
}

/** Deletes everything, because another person may use this device next. */
export function forgetAllUnsaved() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  } catch {
    // See keepUnsaved.
  }
}
