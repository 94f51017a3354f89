/**
 * A late link opens one form for one entry after entries have closed. Its token is in the fragment of the address, which no server is sent
 * and no log holds. This tab keeps it until the entry is sent.
 */
import type { Supabase } from './supabase'

/** The forms that a late link can open, as the database names them. */
export type LateForm = 'citizen' | 'musician' | 'photographer' | 'artist' | 'additional' | 'music'

const kept = 'late-link'
const fragment = /^#late=([0-9a-f]{64})$/

/** Takes the token out of the address, where somebody could read it over a shoulder. */
export function takeLateLink() {
  const token = fragment.exec(window.location.hash)?.[1]
  if (token === undefined) return
  try {
    sessionStorage.setItem(kept, token)
  } catch {
    // Without storage the token stays in the address, from where lateLink reads it.
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

/** The link was used, or opens nothing. */
export function forgetLateLink() {
  try {
    sessionStorage.removeItem(kept)
  } catch {
    // See takeLateLink.
  }
}

/**
 * Which form the link opens, and until when; undefined if it opens none: it is unknown, used, withdrawn or past.
 *
 * @throws when the server does not answer
 */
export async function askLateLink(supabase: Supabase, token: string): Promise<{ form: string; until: string } | undefined> {
  const { data, error } = await supabase.rpc('late_link', { token })
  if (error) throw new Error(error.message)
  const [found] = data
  return found && { form: found.award, until: found.expires_at }
}
