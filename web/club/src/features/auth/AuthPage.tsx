import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { nextPage } from '@/lib/next-page'
import { useSession, type SessionState } from '@/lib/session'
import { usePage } from '@/lib/use-page'
import { notifyError } from '@cloch/ui/lib/notify'
import { readArrival, unfinished } from './arrival'
import { AuthPanel } from './AuthPanel'
import { ForgottenPasswordForm } from './ForgottenPasswordForm'
import { ModeLink } from './ModeLink'
import { PasskeyButton } from './PasskeyButton'
import { SecondStep } from './SecondStep'
import { SetPasswordForm } from './SetPasswordForm'
import { SignInForm } from './SignInForm'
import { SignUpForm } from './SignUpForm'
import { useSecondStep } from './use-second-step'

type Mode = 'sign-in' | 'sign-up' | 'forgotten' | 'set-password' | 'second-step'

const titles: Record<Mode, string> = {
  'sign-in': 'Admin Login',
  'sign-up': 'Create Account',
  forgotten: 'Reset Your Password',
  'set-password': 'Set Your Password',
  'second-step': 'One More Step',
}

/** Page with the forms for: signing in, signing up, a forgotten password, and a new password after a link in a mail was opened. */
export function Component() {
  const session = useSession()
  const [chosen, setMode] = useMode(session)
  const step = useSecondStep(session)
  // Without the second factor, the server refuses to change the password.
  const mode: Mode = step === 'owed' ? 'second-step' : chosen
  const navigate = useNavigate()
  const { search } = useLocation()
  usePage({ title: titles[mode], description: 'For the administrators of the youth awards.' })

  useEffect(() => {
    if (session && step === 'done' && mode !== 'set-password') void navigate(nextPage(search), { replace: true })
  }, [session, step, mode, navigate, search])

  const passwordSet = () => {
    unfinished.clear()
    setMode('sign-in')
  }

  return (
    <AuthPanel title={titles[mode]}>
      {mode === 'sign-in' ? (
        <>
          <SignInForm />
          <PasskeyButton />
        </>
      ) : null}
      {mode === 'sign-up' ? <SignUpForm /> : null}
      {mode === 'forgotten' ? <ForgottenPasswordForm /> : null}
      {mode === 'set-password' ? <SetPasswordForm onDone={passwordSet} /> : null}
      {mode === 'second-step' ? <SecondStep /> : null}
      {mode === 'set-password' || mode === 'second-step' ? null : (
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

/** The form to show, according to the URL. The URL is read here before supabase-js removes the tokens from it. */
function useMode(session: SessionState) {
  const [arrival] = useState(() => readArrival(window.location.hash))
  const [mode, setMode] = useState<Mode>(arrival.setsPassword || unfinished.get() ? 'set-password' : 'sign-in')
  useEffect(() => {
    if (arrival.setsPassword) unfinished.mark()
    if (arrival.error !== undefined) notifyError({ title: 'Error', description: arrival.error })
  }, [arrival])
  // The session has ended, and no password was chosen. Then the user needs a new link, or already has a password.
  const lost = session === null && !arrival.setsPassword
  useEffect(() => {
    if (lost) unfinished.clear()
  }, [lost])
  const shown: Mode = mode === 'set-password' && lost ? 'sign-in' : mode
  return [shown, setMode] as const
}
