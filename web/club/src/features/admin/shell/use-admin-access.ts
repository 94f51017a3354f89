import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, type NavigateFunction } from 'react-router'
import { messageOf } from '@/lib/errors'
import { forgetAllUnsaved } from '@/lib/unsaved-input'
import { signInAddress } from '@/lib/next-page'
import { sessionLostEvent } from '@/lib/query-client'
import { connect } from '@/lib/supabase'
import { notifyError } from '@cloch/ui/lib/notify'
import { checkAccess, type Verdict } from './check-access'

/** Milliseconds to wait after a sign-in before the role is checked. */
const settleMs = 100

/** `local`: this device only; `global`: every device on which this account is signed in. */
export type LogoutScope = 'local' | 'global'

export interface AdminAccess {
  /** E-mail address of the verified admin; undefined while the check is running. */
  email: string | undefined
  /** Ends the session and opens the sign-in page. `scope`: on this device only, or on all devices. */
  logout: (scope: LogoutScope) => Promise<void>
}

/**
 * Checks whether the user is an admin. Redirects all other users to the sign-in page and shows the reason. Also reacts when the session ends, in this
 * tab or in another one.
 */
export function useAdminAccess(): AdminAccess {
  const [email, setEmail] = useState<string>()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const here = useRef('')
  const loggingOut = useRef(false)
  useEffect(() => {
    here.current = pathname + search
  }, [pathname, search])

  useEffect(() => {
    let left = false
    const goTo = (verdict: Exclude<Verdict, { kind: 'admin' }>) => {
      if (verdict.kind === 'denied') {
        notifyError({ title: 'Access Denied', description: verdict.reason, action: signOutHere(navigate) })
        void navigate('/', { replace: true })
        return
      }
      if (verdict.kind === 'failed') notifyError({ title: 'Error', description: verdict.reason })
      void navigate(loggingOut.current ? '/auth' : signInAddress(here.current), { replace: true })
    }
    const timer = window.setTimeout(() => {
      void checkAccess().then((verdict) => {
        if (left) return
        if (verdict.kind === 'admin') setEmail(verdict.email)
        else goTo(verdict)
      })
    }, settleMs)
    const stopWatching = watchSignOut(() => {
      if (!left) goTo({ kind: 'signed-out' })
    })
    const recheck = () => {
      void checkAccess().then((verdict) => {
        if (!left && (verdict.kind === 'signed-out' || verdict.kind === 'denied')) goTo(verdict)
      })
    }
    window.addEventListener(sessionLostEvent, recheck)
    return () => {
      left = true
      window.clearTimeout(timer)
      window.removeEventListener(sessionLostEvent, recheck)
      stopWatching()
    }
  }, [navigate])

  const logout = async (scope: LogoutScope) => {
    loggingOut.current = true
    const supabase = await connect()
    const { error } = await supabase.auth.signOut({ scope })
    if (!error) {
      forgetAllUnsaved()
      return
    }
    loggingOut.current = false
    notifyError({ title: 'Error', description: messageOf(error) })
  }

  return { email, logout }
}

/** The action for an account without the admin role: sign out, so that the user can sign in with another account. */
function signOutHere(navigate: NavigateFunction) {
  const signOut = async () => {
    const supabase = await connect()
    const { error } = await supabase.auth.signOut({ scope: 'local' })
    if (error) notifyError({ title: 'Error', description: messageOf(error) })
    else void navigate('/auth')
  }
  return { label: 'Sign out', onClick: () => void signOut() }
}

/** Calls `signedOut` when the session ends. @returns a function that stops this */
function watchSignOut(signedOut: () => void): () => void {
  let stopped = false
  let stop: (() => void) | undefined
  const watch = async () => {
    const supabase = await connect()
    if (stopped) return
    const { data } = supabase.auth.onAuthStateChange((event) => {
      if (event === 'SIGNED_OUT') signedOut()
    })
    stop = () => data.subscription.unsubscribe()
  }
  // Without a configuration this fails. The access check then fails too, and shows the reason.
  watch().catch(() => undefined)
  return () => {
    stopped = true
    stop?.()
  }
}
