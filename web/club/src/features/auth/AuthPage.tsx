import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { nextPage } from '@/lib/next-page'
import { useSession, type SessionState } from '@/lib/session'
import { usePage } from '@/lib/use-page'
import { notifyError } from '@cloch/ui/lib/notify'
import { readArrival, unfinished } from './arrival'
import { AuthPanel } from './AuthPanel'
import { ForgottenPasswordForm } from './ForgottenPasswordForm'
import { SetPasswordForm } from './SetPasswordForm'
import { SignInForm } from './SignInForm'
import { SignUpForm } from './SignUpForm'

type Mode = 'sign-in' | 'sign-up' | 'forgotten' | 'set-password'

const titles: Record<Mode, string> = {
  'sign-in': 'Admin Login',
  'sign-up': 'Create Account',
  forgotten: 'Reset Your Password',
  'set-password': 'Set Your Password',
}

/** Sign in, sign up, a forgotten password, and the choice of a password for those who come by a link. */
export function Component() {
  const session = useSession()
  const [mode, setMode] = useMode(session)
  const navigate = useNavigate()
  const { search } = useLocation()
  usePage({ title: titles[mode], description: 'For the administrators of the youth awards.' })

  useEffect(() => {
    if (session && mode !== 'set-password') void navigate(nextPage(search), { replace: true })
  }, [session, mode, navigate, search])

  const passwordSet = () => {
    unfinished.clear()
    setMode('sign-in')
  }

  return (
    <AuthPanel title={titles[mode]}>
      {mode === 'sign-in' ? <SignInForm /> : null}
      {mode === 'sign-up' ? <SignUpForm /> : null}
      {mode === 'forgotten' ? <ForgottenPasswordForm /> : null}
      {mode === 'set-password' ? (
        <SetPasswordForm onDone={passwordSet} />
      ) : (
        <div className="grid justify-items-start">
          {mode === 'sign-in' ? <ModeLink onClick={() => setMode('forgotten')}>Forgotten your password?</ModeLink> : null}
          <ModeLink onClick={() => setMode(mode === 'sign-in' ? 'sign-up' : 'sign-in')}>
            {mode === 'sign-in' ? 'No account yet? Create one' : 'Have an account already? Sign in'}
          </ModeLink>
        </div>
      )}
    </AuthPanel>
  )
}

function ModeLink({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button
      type="button"
      className="min-h-11 text-small text-primary underline underline-offset-4 hover:decoration-3"
      onClick={onClick}
    >
      {children}
    </button>
  )
}

/** The mode that the address asks for, read before supabase-js takes the tokens out of it. */
function useMode(session: SessionState) {
  const [arrival] = useState(() => readArrival(window.location.hash))
  const [mode, setMode] = useState<Mode>(arrival.setsPassword || unfinished.get() ? 'set-password' : 'sign-in')
  useEffect(() => {
    if (arrival.setsPassword) unfinished.mark()
    if (arrival.error !== undefined) notifyError({ title: 'Error', description: arrival.error })
  }, [arrival])
  // Signed out before the password was chosen: only a new link helps, or there is a password after all.
  const lost = session === null && !arrival.setsPassword
  useEffect(() => {
    if (lost) unfinished.clear()
  }, [lost])
  const shown: Mode = mode === 'set-password' && lost ? 'sign-in' : mode
  return [shown, setMode] as const
}
