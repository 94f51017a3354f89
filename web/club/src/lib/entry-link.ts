/**
 * The link by which a sender comes back to an entry. This browser makes its token when the entry is first sent, the same for every attempt of one
 * fill; the database keeps a hash. The token travels in a header or a body, and in the fragment of the link: no server logs any of them.
 */

const prefix = 'entry-link:'
const fragment = /^#entry=([0-9a-f]{64})$/

/** The page that shows an entry. */
export const entryPage = '/my-entry'

/** The token of one fill of a form, by the fill's key. Without storage each attempt makes another, and the first one counts. */
export function entryToken(key: string): string {
  try {
    const kept = sessionStorage.getItem(prefix + key)
    if (kept !== null) return kept
  } catch {
    return randomToken()
  }
  const token = randomToken()
  try {
    sessionStorage.setItem(prefix + key, token)
  } catch {
    // See above.
  }
  return token
}

/** 256 random bits. */
function randomToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The entry has arrived: the page that thanks for it shows the link. */
export function forgetEntryToken(key: string) {
  try {
    sessionStorage.removeItem(prefix + key)
  } catch {
    // See entryToken.
  }
}

export function entryAddress(token: string, origin: string): string {
  return `${origin}${entryPage}#entry=${token}`
}

/** The token in the address of the page that shows an entry. */
export function tokenOfAddress(hash: string): string | undefined {
  return fragment.exec(hash)?.[1]
}

let sending: string | undefined

/** Sends the token with the rows that `save` inserts. */
export async function withEntryToken<Result>(token: string, save: () => Promise<Result>): Promise<Result> {
  sending = token
  try {
    return await save()
  } finally {
    sending = undefined
  }
}

export function tokenBeingSent(): string | undefined {
  return sending
}
