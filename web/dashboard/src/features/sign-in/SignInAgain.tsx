import { useLayoutEffect, useRef } from 'react'
import { DoorPanel } from './Door'
import { SignInForm } from './SignIn'

/**
 * Sign-in dialog above the page. It is shown when the session has ended while the operator was working. It covers open dialogs; their input is kept
 * and is visible again after the sign-in. Escape does not close it.
 */
export function SignInAgain({ email }: { email: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    // Escape is ignored here. Otherwise the browser would close this dialog at the second Escape, and a third Escape would close the dialog below it
    // before `stay` has run.
    const ignore = (event: KeyboardEvent) => {
      if (event.key === 'Escape') event.preventDefault()
    }
    // Opens the dialog again after other requests to close it, such as the back gesture on a phone.
    const stay = () => element?.showModal()
    const refuse = (event: Event) => event.preventDefault()
    element?.showModal()
    document.addEventListener('keydown', ignore, true)
    element?.addEventListener('close', stay)
    element?.addEventListener('cancel', refuse)
    return () => {
      document.removeEventListener('keydown', ignore, true)
      element?.removeEventListener('close', stay)
      element?.removeEventListener('cancel', refuse)
      element?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby="sign-in-again"
      className="m-0 h-dvh max-h-none w-screen max-w-none content-center bg-[linear-gradient(var(--sky)_0_60%,var(--sea)_60%)] p-0 text-foreground open:grid"
    >
      <DoorPanel title="Sign in again" id="sign-in-again">
        <p className="text-muted-foreground">Your session has ended. What you were doing is still here.</p>
        <SignInForm email={email} />
      </DoorPanel>
    </dialog>
  )
}
