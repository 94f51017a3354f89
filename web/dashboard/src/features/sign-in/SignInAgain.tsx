import { useLayoutEffect, useRef } from 'react'
import { DoorPanel } from './Door'
import { SignInForm } from './SignIn'

/**
 * Sign-in dialog over the page, shown when the session has ended during work. It covers open dialogs; input in them is kept and visible again after
 * the sign-in. Escape does not close it.
 */
export function SignInAgain({ email }: { email: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    // Ignore Escape here: otherwise the browser closes this dialog at the second Escape, and a third one closes the dialog below before `stay` has
    // run.
    const ignore = (event: KeyboardEvent) => {
      if (event.key === 'Escape') event.preventDefault()
    }
    // For other requests to close a dialog, such as the back gesture on a phone.
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
