/** What the link in a mail says in the address's fragment. */
export interface Arrival {
  /** The link lets its holder choose a password: a recovery, or an invitation, whose account has none yet. */
  setsPassword: boolean
  /** Why the link did not work, in the server's words. */
  error: string | undefined
}

const passwordTypes = ['recovery', 'invite']
const unfinishedKey = 'auth:password-to-set'

/** Reads a fragment as it stands before supabase-js takes the tokens out of it. */
export function readArrival(fragment: string): Arrival {
  const values = new URLSearchParams(fragment.replace(/^#/, ''))
  const setsPassword = passwordTypes.includes(values.get('type') ?? '') && Boolean(values.get('access_token'))
  return { setsPassword, error: values.get('error_description') ?? undefined }
}

/**
 * A link works once. Somebody who reloads the page before having chosen a password is signed in but could never sign in again: this
 * remembers, for the life of the tab, that the password is still to be set.
 */
export const unfinished = {
  get: () => sessionStorage.getItem(unfinishedKey) !== null,
  mark: () => sessionStorage.setItem(unfinishedKey, '1'),
  clear: () => sessionStorage.removeItem(unfinishedKey),
}
