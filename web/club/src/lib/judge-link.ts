/**
 * A judge's link leads to the judging page. Its token is in the URL's fragment, which browsers do not send, so it is in no server's log and in no
 * Referer.
 */
const fragment = /^#judge=([0-9a-f]{64})$/

/** Returns the token of the URL and removes it from the URL, where it would be visible and would stay in the history. */
export function takeLinkToken(): string | undefined {
  const token = fragment.exec(window.location.hash)?.[1]
  if (token !== undefined)
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  return token
}

/** The URL to send to a judge. */
export function judgeAddress(token: string, origin: string): string {
  return `${origin}/judging#judge=${token}`
}
