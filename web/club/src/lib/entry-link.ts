/**
 * The link by which a sender comes back to an entry. This browser makes its token when the entry is first sent, the same for every attempt of one
 * fill; the database keeps a hash. The token travels in a header or a body, and in the fragment of the link: no server logs any of them.
 */

const prefix = 'entry-link:'
const fragment = /^#entry=([0-9a-f]{64})$/

/** The page that shows an entry. */
export const entryPage = '/my-entry'

/** Tokens of this page, for browsers without storage. */
const made = new Map<string, string>()

/** The token of a fill of a form, by the fill's key, which its draft holds in every tab of this browser. Undefined before it was sent. */
export function entryToken(key: string): string | undefined {
  try {
    return localStorage.getItem(prefix + key) ?? made.get(key)
  } catch {
    return made.get(key)
  }
}

/** Makes the token of a fill. */
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

/** Forgets the token of a fill: the page that thanks for the entry shows its link, or the token opens nothing. */
export function forgetEntryToken(key: string) {
  made.delete(key)
  try {
    localStorage.removeItem(prefix + key)
  } catch {
    // It was not stored.
  }
}

/** Forgets the tokens of the fills that no draft holds any more: nobody can send these fills again, and no page shows their links. */
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

/** The token in the address of the page that shows an entry. */
export function tokenOfAddress(hash: string): string | undefined {
  return fragment.exec(hash)?.[1]
}
