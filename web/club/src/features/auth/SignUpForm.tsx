import { useState, type SubmitEvent } from 'react'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { AuthField } from './AuthField'
import { useSignUp } from './queries/sign-up'

export function SignUpForm() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signUp = useSignUp()

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    signUp.mutate(
      { email, password },
      {
        onSuccess: () =>
          notifySuccess({
            title: 'Check your email',
            description: "We've sent you a confirmation link to complete your registration.",
          }),
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
        autoComplete="new-password"
        value={password}
        onValue={setPassword}
      />
      <Button type="submit" disabled={signUp.isPending} aria-busy={signUp.isPending}>
        {signUp.isPending ? 'Creating account...' : 'Create account'}
      </Button>
    </form>
  )
}
