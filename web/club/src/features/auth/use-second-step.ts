import { useEffect, useState } from 'react'
import { owesSecondStep } from '@/lib/second-step'
import type { SessionState } from '@/lib/session'

/** Whether the session still needs the second factor; undefined without a session and during the check. */
export function useSecondStep(session: SessionState): 'owed' | 'done' | undefined {
  const token = session?.access_token
  const user = session?.user.id
  const [asked, setAsked] = useState<{ user: string; token: string; owed: boolean }>()
  useEffect(() => {
    if (token === undefined || user === undefined) return
    let left = false
    const settle = (owed: boolean) => {
      if (!left) setAsked({ user, token, owed })
    }
    // If the server does not respond, the next page shows the error.
    owesSecondStep().then(settle, () => settle(false))
    return () => {
      left = true
    }
  }, [token, user])
  if (token === undefined || asked?.user !== user) return undefined
  // A new token is checked again; until then the form stays.
  if (asked?.owed) return 'owed'
  return asked?.token === token ? 'done' : undefined
}
