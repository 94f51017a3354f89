/**
 * Unsaved input of the back-office's dialogs. It is kept in the tab's session storage, so that nothing is lost by a reload, an accidental Escape or a
 * crash of the page. It is removed when it is saved or discarded, and when the admin signs out.
 */

const prefix = 'kept:'

/** The input that is stored under a name. Undefined if there is none, or if it cannot be parsed. */
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
    // The browser allows no storage. The form still works, but its input is not stored.
  }
}

export function forgetUnsaved(name: string) {
  try {
    sessionStorage.removeItem(prefix + name)
  } catch {
    // See keepUnsaved.
  }
}

/** Deletes all stored input, because another person may use this device next. */
export function forgetAllUnsaved() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  } catch {
    // See keepUnsaved.
  }
}
