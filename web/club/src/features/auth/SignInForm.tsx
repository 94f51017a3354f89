import { useState, type SubmitEvent } from 'react'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { AuthField } from './AuthField'
import { useSignIn } from './queries/sign-in'

/** Form for signing in with a password. When the new session exists, the page changes by itself. */
export function SignInForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useSignIn()

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    signIn.mutate(
      { email, password },
      {
        onSuccess: () => notifySuccess({ title: 'Welcome back!', description: "You've successfully logged in." }),
        onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
      },
    )
  }

  return (
    <form onSubmit={submit} className="grid gap-5">
      <AuthField name="email" label="Email" type="email" autoComplete="username" value={email} onValue={setEmail} />
      <AuthField
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
      />
      <Button type="submit" disabled={signIn.isPending} aria-busy={signIn.isPending}>
        {signIn.isPending ? 'Signing in...' : 'Sign in'}
      </Button>
    </form>
  )
}
