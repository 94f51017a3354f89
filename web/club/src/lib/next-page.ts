/** Where a page stands that asked somebody to sign in first, and how the sign-in page finds the way back. */

const home = '/admin'

/** The address of the sign-in page that comes back to `here` (path and query). */
export function signInAddress(here: string): string {
  return here === home ? '/auth' : `/auth?next=${encodeURIComponent(here)}`
}

/** Where to go after signing in. Only the back-office: a link must not be able to send anybody elsewhere. */
export function nextPage(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? home
  return next === home || next.startsWith(`${home}?`) ? next : home
}
