import { useState, type SubmitEvent } from 'react'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { AuthField } from './AuthField'
import { useSendRecovery } from './queries/send-recovery'

/** Form that requests a mail with a link for choosing a new password. If the address has no account, the response is the same. */
export function ForgottenPasswordForm() {
  const [email, setEmail] = useState('')
  const recovery = useSendRecovery()

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    recovery.mutate(email, {
      onSuccess: () =>
        notifySuccess({
          title: 'Check your email',
          description: 'If this address has an account, a link to choose a new password is on its way.',
        }),
      onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    })
  }

  return (
    <form onSubmit={submit} className="grid gap-5">
      <AuthField name="email" label="Email" type="email" autoComplete="username" value={email} onValue={setEmail} />
      <Button type="submit" disabled={recovery.isPending} aria-busy={recovery.isPending}>
        {recovery.isPending ? 'Sending...' : 'Send the link'}
      </Button>
    </form>
  )
}
