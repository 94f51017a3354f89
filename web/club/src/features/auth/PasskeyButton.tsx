import { KeyRound } from 'lucide-react'
import { messageOf } from '@/lib/errors'
import { passkeysPossible, wasCancelled } from '@/lib/passkeys'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { useSignInWithPasskey } from './queries/sign-in-with-passkey'

/**
 * Button that signs in with a passkey. No e-mail address is needed. It is hidden if the browser does not support passkeys. When the new session
 * exists, the page changes by itself.
 */
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
