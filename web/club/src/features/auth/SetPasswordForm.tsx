import { useState, type SubmitEvent } from 'react'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { AuthField } from './AuthField'
import { useSetPassword } from './queries/set-password'

const mismatch = 'Passwords do not match'

export function SetPasswordForm({ onDone }: { onDone: () => void }) {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [refused, setRefused] = useState(false)
  const save = useSetPassword()
  const differs = refused && password !== again

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setRefused(password !== again)
    if (password !== again) {
      notifyError({ title: 'Error', description: mismatch })
      return
    }
    save.mutate(password, {
      onSuccess: () => {
        notifySuccess({ title: 'Password updated!', description: 'Your password has been set successfully.' })
        onDone()
      },
      onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    })
  }

  return (
    <form onSubmit={submit} className="grid gap-5">
      <AuthField
        name="new-password"
        label="New password"
        type="password"
        autoComplete="new-password"
        value={password}
        onValue={setPassword}
      />
      <AuthField
        name="confirm-password"
        label="Confirm password"
        type="password"
        autoComplete="new-password"
        value={again}
        onValue={setAgain}
        error={differs ? mismatch : undefined}
      />
      <Button type="submit" disabled={save.isPending} aria-busy={save.isPending}>
        {save.isPending ? 'Saving...' : 'Set password'}
      </Button>
    </form>
  )
}
