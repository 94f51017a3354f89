/** The page to return to after a sign-in, in the URL of the sign-in page. */

const home = '/admin'

/** URL of the sign-in page that returns to `here` (path and query). */
export function signInAddress(here: string): string {
  return here === home ? '/auth' : `/auth?next=${encodeURIComponent(here)}`
}

/** The page to open after a sign-in. Only pages of the back-office are allowed, so that a link cannot redirect users elsewhere. */
export function nextPage(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? home
  return next === home || next.startsWith(`${home}?`) ? next : home
}
