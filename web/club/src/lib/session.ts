import type { Session } from '@supabase/supabase-js'
import { useEffect, useState } from 'react'
import { connect } from './supabase'

/** `undefined` until the session has been read; `null` if nobody is signed in. */
export type SessionState = Session | null | undefined

/** The current session. It may begin or end in another tab of the browser. */
export function useSession(): SessionState {
  const [session, setSession] = useState<SessionState>()
  useEffect(() => {
    let left = false
    let stop: (() => void) | undefined
    void connect().then(
      (supabase) => {
        if (left) return
        // supabase-js sends the first event (INITIAL_SESSION) automatically, when it has read the tokens of a link.
        const { data } = supabase.auth.onAuthStateChange((_event, current) => setSession(current))
        stop = () => data.subscription.unsubscribe()
      },
      () => setSession(null),
    )
    return () => {
      left = true
      stop?.()
    }
  }, [])
  return session
}
