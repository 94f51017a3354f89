import { useState, type SubmitEvent } from 'react'
import { Link } from 'react-router'
import { Field } from '@/components/form/Field'
import { Mark } from '@cloch/ui/components/mark'
import { getSettings } from '@/lib/config'
import { Button } from '@cloch/ui/components/button'
import { Input } from '@cloch/ui/components/input'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Pass } from './pass'
import { useValidatePassword } from './queries/validate-password'

/** Asks for the judges' password. */
export function JudgingGate({ onPass }: { onPass: (pass: Pass) => void }) {
  const [password, setPassword] = useState('')
  const { mutate, isPending } = useValidatePassword()

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    mutate(password, {
      onSuccess: (pass) => {
        if (!pass) {
          notifyError({ title: 'Access denied', description: 'Incorrect password' })
          return
        }
        notifySuccess({ title: 'Access granted', description: 'Welcome to the judging portal' })
        onPass(pass)
      },
      onError: () => notifyError({ title: 'Error', description: 'Failed to validate password' }),
    })
  }

  return (
    <main className="grid min-h-dvh place-items-center bg-[linear-gradient(var(--sky)_0_62%,var(--sea)_62%)] sm:p-12">
      <form
        onSubmit={submit}
        className="grid w-full content-start gap-5 border-t-8 border-foreground bg-card p-[clamp(1.25rem,4vw,2.25rem)] max-sm:min-h-dvh sm:w-[26rem] sm:rounded"
      >
        <Link to="/" aria-label={getSettings().clubName} className="w-fit">
          <Mark className="size-12" />
        </Link>
        <h1 className="text-[1.75rem] leading-tight">Judging portal</h1>
        <Field name="judging-password" label="Enter judging password" error={undefined}>
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={password === '' || isPending} aria-busy={isPending}>
          {isPending ? 'Validating...' : 'Access Judging'}
        </Button>
      </form>
    </main>
  )
}
