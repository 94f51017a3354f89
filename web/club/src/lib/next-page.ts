/** The page to return to after a sign-in, in the URL of the sign-in page. */

const home = '/admin'

/** URL of the sign-in page. After the sign-in, it opens the page `here` (path and query) again. */
export function signInAddress(here: string): string {
  return here === home ? '/auth' : `/auth?next=${encodeURIComponent(here)}`
}

/** The page to open after a sign-in. Only pages of the back-office are accepted: otherwise a prepared link could send users to another site. */
export function nextPage(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? home
  return next === home || next.startsWith(`${home}?`) ? next : home
}
