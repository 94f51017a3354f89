import { useLayoutEffect, useRef } from 'react'
import { DoorPanel } from './Door'
import { SignInForm } from './SignIn'

/**
 * The door over the page, when the session has ended while somebody worked: it lies over open windows and hides them, and what is typed in them
 * is there again behind it. It does not close by Escape.
 */
export function SignInAgain({ email }: { email: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    // Otherwise the browser closes this dialog at the second Escape, and a third one closes the window below before `stay` has run.
    const ignore = (event: KeyboardEvent) => {
      if (event.key === 'Escape') event.preventDefault()
    }
    // Other requests to close a dialog, such as the gesture that goes back on a phone.
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
