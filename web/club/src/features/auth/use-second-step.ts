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
    // The server does not respond. The next page will show the error.
    owesSecondStep().then(settle, () => settle(false))
    return () => {
      left = true
    }
  }, [token, user])
  if (token === undefined || asked?.user !== user) return undefined
  // When the token changes, it is checked again. During this check, the form stays visible.
  if (asked?.owed) return 'owed'
  return asked?.token === token ? 'done' : undefined
}
