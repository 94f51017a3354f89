/**
 * The link with which a sender returns to an entry. The browser creates its token when the entry is first sent; further attempts to send the same
 * form use the same token. The database stores a hash. The token is sent in a header or body, and is in the fragment of the link, so no server logs
 * it.
 */

const prefix = 'entry-link:'
const fragment = /^#entry=([0-9a-f]{64})$/

/** The page that shows an entry. */
export const entryPage = '/my-entry'

/** Tokens of this page, for browsers without storage. */
const made = new Map<string, string>()

/** The token for a filled form, by the form's key, which is in its draft in every tab of this browser. Undefined before it was sent. */
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
    // `made` has it.
  }
  return token
}

/** Deletes the token for a filled form, after the page has shown its link, or if the token is not valid. */
export function forgetEntryToken(key: string) {
  made.delete(key)
  try {
    localStorage.removeItem(prefix + key)
  } catch {
    // It was not stored.
  }
}

/** Deletes the tokens of forms without a draft: nobody can send these forms again, and no page shows their links. */
export function forgetTokensExcept(keys: ReadonlySet<string>) {
  try {
    const stored = Object.keys(localStorage).filter((name) => name.startsWith(prefix))
    for (const name of stored) if (!keys.has(name.slice(prefix.length))) localStorage.removeItem(name)
  } catch {
    // Nothing is stored.
  }
}

export function entryAddress(token: string, origin: string): string {
  return `${origin}${entryPage}#entry=${token}`
}

/** The token in the URL of the page that shows an entry. */
export function tokenOfAddress(hash: string): string | undefined {
  return fragment.exec(hash)?.[1]
}
