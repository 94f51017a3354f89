/** The information that the URL's fragment contains after the user has opened a link in a mail. */
export interface Arrival {
  /**
   * Whether the user must choose a password. This is so after a password recovery, and after an invitation, because the new account has no password
   * yet.
   */
  setsPassword: boolean
  /** The server's error message if the link was not valid. */
  error: string | undefined
}

const passwordTypes = ['recovery', 'invite']
const unfinishedKey = 'auth:password-to-set'

/** Parses the fragment. Call it before supabase-js removes the tokens from the URL. */
export function readArrival(fragment: string): Arrival {
  const values = new URLSearchParams(fragment.replace(/^#/, ''))
  const setsPassword = passwordTypes.includes(values.get('type') ?? '') && Boolean(values.get('access_token'))
  return { setsPassword, error: values.get('error_description') ?? undefined }
}

/**
 * A link in a mail works only once. A user who opens it is signed in; if this user reloaded the page before choosing a password, there would be no
 * way to sign in later. Therefore the tab's session storage records that a password must still be chosen.
 */
export const unfinished = {
  get: () => sessionStorage.getItem(unfinishedKey) !== null,
  mark: () => sessionStorage.setItem(unfinishedKey, '1'),
  clear: () => sessionStorage.removeItem(unfinishedKey),
}
