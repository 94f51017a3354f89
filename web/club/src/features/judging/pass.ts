/** The result of a correct password, or of a judge's link: a token. With this token, the database accepts requests as those of a judge. */
export interface Pass {
  token: string
  /** Unix time in seconds. */
  expiresAt: number
  /** Whether the token is that of a judge's own link. */
  isOwn?: boolean
}

const key = 'judging:pass'

/**
 * The pass of this browser session, if it has not expired. It is parsed without a schema library, because this code is loaded before the first paint.
 */
export function readPass(now = Date.now()): Pass | undefined {
  try {
    const { token, expiresAt, isOwn } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Pass>
    if (typeof token !== 'string' || token === '' || typeof expiresAt !== 'number') return undefined
    return expiresAt * 1000 > now ? { token, expiresAt, ...(isOwn === true && { isOwn }) } : undefined
  } catch {
    return undefined
  }
}

export function keepPass(pass: Pass | undefined) {
  if (pass) sessionStorage.setItem(key, JSON.stringify(pass))
  else sessionStorage.removeItem(key)
}
