import type { Session } from '@supabase/supabase-js'
import { useEffect, useState } from 'react'
import { connect } from './supabase'

/** `undefined` until it is known, `null` if nobody is signed in. */
export type SessionState = Session | null | undefined

/** The present session, which may be started or ended in another tab of the browser. */
export function useSession(): SessionState {
  const [session, setSession] = useState<SessionState>()
  useEffect(() => {
    let left = false
    let stop: (() => void) | undefined
    void connect().then(
      (supabase) => {
        if (left) return
        // The first event (INITIAL_SESSION) is sent automatically, after the tokens of a link have been read.
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
