/**
 * The link with which a sender can open an entry again. The browser creates the token of the link when the form is first sent. If the same form is
 * sent again, the same token is used. The database stores only a hash of the token. The token is sent in a header or body, and in the link it is in
 * the fragment. Therefore no server logs it.
 */

const prefix = 'entry-link:'
const fragment = /^#entry=([0-9a-f]{64})$/

/** The page that shows an entry. */
export const entryPage = '/my-entry'

/** Tokens that were created on this page, for browsers that do not allow storage. */
const made = new Map<string, string>()

/**
 * The token for a filled form.
 * @param key the key of the form, which is also in the form's draft and so is the same in all tabs of this browser
 * @returns undefined if the form has not been sent yet
 */
export function entryToken(key: string): string | undefined {
  try {
    return localStorage.getItem(prefix + key) ?? made.get(key)
  } catch {
    return made.get(key)
  }
}

/** Creates the token for a filled form. */
export function makeEntryToken(key: string): string {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0'))
  const token = bytes.join('')
  made.set(key, token)
  try {
    localStorage.setItem(prefix + key, token)
  } catch {
    // The browser allows no storage. The token is still in `made`.
  }
  return token
}

/** Deletes the token for a filled form: after the page has shown the link, or if the token is not valid. */
export function forgetEntryToken(key: string) {
  made.delete(key)
  try {
    localStorage.removeItem(prefix + key)
  } catch {
    // The browser allows no storage, so the token was not stored.
  }
}

/** Deletes the tokens of forms that have no draft. Nobody can send these forms again, and no page shows their links. */
export function forgetTokensExcept(keys: ReadonlySet<string>) {
  try {
    const stored = Object.keys(localStorage).filter((name) => name.startsWith(prefix))
    for (const name of stored) if (!keys.has(name.slice(prefix.length))) localStorage.removeItem(name)
  } catch {
    // The browser allows no storage, so no tokens are stored.
  }
}

export function entryAddress(token: string, origin: string): string {
  return `${origin}${entryPage}#entry=${token}`
}

/** The token in the URL of the page that shows an entry. */
export function tokenOfAddress(hash: string): string | undefined {
  return fragment.exec(hash)?.[1]
}
