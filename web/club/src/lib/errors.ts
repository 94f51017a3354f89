/** PostgreSQL's error code for a statement that was refused. The following codes are those of the REST API for a token that is no longer valid. */
const refused = '42501'
const invalidToken = ['PGRST301', 'PGRST303']

export const sessionLost = 'Your session has ended. Please sign in again. What you typed is kept on this device.'

/**
 * Whether a request was refused because it had no session, or an expired one. Only visitors have no privileges on the tables, so only their requests
 * are refused. A signed-in account without the role gets no error: row-level security hides the rows.
 */
export function isSessionLost(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return false
  const { code, message } = error
  if (typeof code !== 'string' || typeof message !== 'string') return false
  return (
    invalidToken.includes(code) || (code === refused && /^permission denied for (table|view|function|schema)\b/.test(message))
  )
}

export const unreachable = 'The server cannot be reached. Please check the connection and try again'

/** Messages of browsers (Chromium, Firefox, Safari) and of the client's functions for a request that got no response. */
const noAnswer =
  /^(TypeError: )?(Failed to fetch|NetworkError when attempting to fetch resource\.|Load failed|Failed to send a request to the Edge Function)$/

/** The message of an error. If the error has none, `fallback`. */
export function messageOf(error: unknown, fallback = 'Something went wrong'): string {
  if (isSessionLost(error)) return sessionLost
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string') {
    return noAnswer.test(error.message) ? unreachable : error.message || fallback
  }
  return fallback
}
