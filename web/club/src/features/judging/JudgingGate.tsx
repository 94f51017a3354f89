import { useMutation } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
import { NoScriptNote } from '@/components/NoScriptNote'
import { Button } from '@cloch/ui/components/button'
import { Input } from '@cloch/ui/components/input'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { Gate, GateHead, gatePanel } from './GatePanel'
import type { Pass } from './pass'

const loadCheck = () => import('./queries/validate-password')

interface JudgingGateProps {
  onPass: (pass: Pass) => void
  /** Called when the form gets the focus. */
  onReach: () => void
}

/** Form that asks for the judges' password. */
export function JudgingGate({ onPass, onReach }: JudgingGateProps) {
  const [password, setPassword] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { mutate, isPending } = useMutation({
    mutationFn: async (typed: string) => (await loadCheck()).validatePassword(typed),
  })
  // Takes over the text that the judge typed into the field before the page was hydrated.
  useLayoutEffect(() => setPassword(field.current?.value ?? ''), [])

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
    <Gate>
      <form
        onSubmit={submit}
        onFocus={() => {
          void loadCheck().catch(() => undefined)
          onReach()
        }}
        className={gatePanel}
      >
        <GateHead />
        <Field name="judging-password" label="Enter judging password" error={undefined}>
          {(control) => (
            <Input
              {...control}
              ref={field}
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
        <NoScriptNote />
      </form>
    </Gate>
  )
}
