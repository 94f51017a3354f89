/** What the right password gives: the token that lets the database know a judge. */
export interface Pass {
  token: string
  /** Unix time in seconds. */
  expiresAt: number
}

const key = 'judging:pass'

/** The pass of this browser session, unless it has run out. No schema library here: the gate is read before the first paint. */
export function readPass(now = Date.now()): Pass | undefined {
  try {
    const { token, expiresAt } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Pass>
    if (typeof token !== 'string' || token === '' || typeof expiresAt !== 'number') return undefined
    return expiresAt * 1000 > now ? { token, expiresAt } : undefined
  } catch {
    return undefined
  }
}

export function keepPass(pass: Pass | undefined) {
  if (pass) sessionStorage.setItem(key, JSON.stringify(pass))
  else sessionStorage.removeItem(key)
}
