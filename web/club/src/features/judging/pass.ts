import '@/lib/strict-zod'
import * as z from 'zod'

/** What the right password gives: the token that lets the database know a judge. */
const passSchema = z.object({ token: z.string().min(1), expiresAt: z.number() })
export type Pass = z.infer<typeof passSchema>

const key = 'judging:pass'

/** The pass of this browser session, unless it has run out. */
export function readPass(now = Date.now()): Pass | undefined {
  try {
    const pass = passSchema.parse(JSON.parse(sessionStorage.getItem(key) ?? 'null'))
    return pass.expiresAt * 1000 > now ? pass : undefined
  } catch {
    return undefined
  }
}

export function keepPass(pass: Pass | undefined) {
  if (pass) sessionStorage.setItem(key, JSON.stringify(pass))
  else sessionStorage.removeItem(key)
}
