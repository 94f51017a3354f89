/** Information in the URL's fragment after following a link in a mail. */
export interface Arrival {
  /** Whether the link lets the user choose a password: a password recovery, or an invitation, whose account has no password yet. */
  setsPassword: boolean
  /** The server's message if the link did not work. */
  error: string | undefined
}

const passwordTypes = ['recovery', 'invite']
const unfinishedKey = 'auth:password-to-set'

/** Parses the fragment before supabase-js removes the tokens from it. */
export function readArrival(fragment: string): Arrival {
  const values = new URLSearchParams(fragment.replace(/^#/, ''))
  const setsPassword = passwordTypes.includes(values.get('type') ?? '') && Boolean(values.get('access_token'))
  return { setsPassword, error: values.get('error_description') ?? undefined }
}

/**
 * A link works only once. A user who reloads the page before choosing a password is signed in, but could never sign in again. So the tab's session
 * storage records that the password still has to be set.
 */
export const unfinished = {
  get: () => sessionStorage.getItem(unfinishedKey) !== null,
  mark: () => sessionStorage.setItem(unfinishedKey, '1'),
  clear: () => sessionStorage.removeItem(unfinishedKey),
}
