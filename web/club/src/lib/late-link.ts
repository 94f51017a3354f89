/**
 * A late link opens one form for one entry when entries are already closed. Its token is in the URL's fragment, which browsers do not send, so it is
 * in no server's log. This tab stores the token until the entry is sent.
 */
import type { Supabase } from './supabase'

/** The forms that can be opened with a late link, by their names in the database. */
export type LateForm = 'citizen' | 'musician' | 'photographer' | 'artist' | 'additional' | 'music'

const kept = 'late-link'
const fragment = /^#late=([0-9a-f]{64})$/

/** Stores the token of the URL and removes it from the URL, where it would be visible on the screen. */
export function takeLateLink() {
  const token = fragment.exec(window.location.hash)?.[1]
  if (token === undefined) return
  try {
    sessionStorage.setItem(kept, token)
  } catch {
    // The browser allows no storage. The token stays in the URL, and lateLink reads it from there.
    return
  }
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
}

export function lateLink(): string | undefined {
  try {
    return sessionStorage.getItem(kept) ?? fragment.exec(window.location.hash)?.[1]
  } catch {
    return fragment.exec(window.location.hash)?.[1]
  }
}

/** Deletes the token when the link has been used or is not valid. */
export function forgetLateLink() {
  try {
    sessionStorage.removeItem(kept)
  } catch {
    // See takeLateLink.
  }
}

/**
 * Asks the server which form the link opens, and until when. Undefined if the link is unknown, used, revoked or expired.
 * @throws if the server does not respond
 */
export async function askLateLink(supabase: Supabase, token: string): Promise<{ form: string; until: string } | undefined> {
  const { data, error } = await supabase.rpc('late_link', { token })
  if (error) throw new Error(error.message)
  const [found] = data
  return found && { form: found.award, until: found.expires_at }
}
