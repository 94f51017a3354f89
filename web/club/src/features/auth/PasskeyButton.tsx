import { KeyRound } from 'lucide-react'
import { messageOf } from '@/lib/errors'
import { passkeysPossible, wasCancelled } from '@/lib/passkeys'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { useSignInWithPasskey } from './queries/sign-in-with-passkey'

/** Signs in with a passkey, without an e-mail address. Hidden if the browser does not support passkeys. The page reacts to the new session. */
export function PasskeyButton() {
  const signIn = useSignInWithPasskey()
  if (!passkeysPossible()) return null
  const begin = () =>
    signIn.mutate(undefined, {
      onSuccess: () => notifySuccess({ title: 'Welcome back!', description: "You've successfully logged in." }),
      onError: (error) => {
        if (!wasCancelled(error)) notifyError({ title: 'Error', description: messageOf(error) })
      },
    })
  return (
    <Button variant="outline" disabled={signIn.isPending} aria-busy={signIn.isPending} onClick={begin}>
      <KeyRound aria-hidden />
      {signIn.isPending ? 'Waiting for your device...' : 'Sign in with a passkey'}
    </Button>
  )
}
