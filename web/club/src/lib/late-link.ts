/**
 * A late link opens one form for one entry after entries have closed. Its token is in the URL's fragment, which is not sent to servers and not
 * logged. This tab stores it until the entry is sent.
 */
import type { Supabase } from './supabase'

/** The forms that a late link can open, with their names in the database. */
export type LateForm = 'citizen' | 'musician' | 'photographer' | 'artist' | 'additional' | 'music'

const kept = 'late-link'
const fragment = /^#late=([0-9a-f]{64})$/

/** Removes the token from the URL, where somebody could see it on the screen. */
export function takeLateLink() {
  const token = fragment.exec(window.location.hash)?.[1]
  if (token === undefined) return
  try {
    sessionStorage.setItem(kept, token)
  } catch {
    // Without storage the token stays in the URL, from which lateLink reads it.
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

/** Deletes the token, because the link was used or is not valid. */
export function forgetLateLink() {
  try {
    sessionStorage.removeItem(kept)
  } catch {
    // See takeLateLink.
  }
}

/**
 * The form that the link opens, and until when; undefined if the link is unknown, used, revoked or expired.
 * @throws if the server does not respond
 */
export async function askLateLink(supabase: Supabase, token: string): Promise<{ form: string; until: string } | undefined> {
  const { data, error } = await supabase.rpc('late_link', { token })
  if (error) throw new Error(error.message)
  const [found] = data
  return found && { form: found.award, until: found.expires_at }
}
