import type { Session } from '@supabase/supabase-js'
import { useEffect, useState } from 'react'
import { connect } from './supabase'

/** `undefined` while nobody knows yet, `null` when nobody is signed in. */
export type SessionState = Session | null | undefined

/** Who is signed in, in this tab or another one of the same browser. */
export function useSession(): SessionState {
  const [session, setSession] = useState<SessionState>()
  useEffect(() => {
    let left = false
    let stop: (() => void) | undefined
    void connect().then(
      (supabase) => {
        if (left) return
        // The first event (INITIAL_SESSION) comes without being asked, once a link's tokens have been read.
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
