import { useMutation } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
import { messageOf } from '@/lib/errors'
import { proveByApp, proveByRecoveryCode } from '@/lib/second-step'
import { Button } from '@cloch/ui/components/button'
import { Input } from '@cloch/ui/components/input'
import { notifyError } from '@cloch/ui/lib/notify'

const kinds = {
  app: {
    label: 'Code from your app',
    hint: 'Six digits, a new one each half minute',
    prove: proveByApp,
    other: 'Lost your phone? Use a recovery code',
  },
  recovery: {
    label: 'Recovery code',
    hint: 'One of those that you printed; it works once',
    prove: proveByRecoveryCode,
    other: 'Use the code from your app',
  },
}

/** Form for the second factor: a code of the authenticator app, or a printed recovery code. */
export function CodeForm({ onDone }: { onDone: () => void }) {
  const [kind, setKind] = useState<keyof typeof kinds>('app')
  const [code, setCode] = useState('')
  const { label, hint, prove, other } = kinds[kind]
  const { mutate, isPending } = useMutation({ mutationFn: prove })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    mutate(code, {
      onSuccess: onDone,
      onError: (error) => {
        setCode('')
        notifyError({ title: 'Error', description: messageOf(error) })
      },
    })
  }
  const change = () => {
    setKind(kind === 'app' ? 'recovery' : 'app')
    setCode('')
  }
  return (
    <form onSubmit={submit} className="grid gap-5">
      <Field name={`${kind}-code`} label={label} hint={hint} error={undefined}>
        {(control) => (
          <Input
            {...control}
            required
            inputMode={kind === 'app' ? 'numeric' : 'text'}
            autoComplete={kind === 'app' ? 'one-time-code' : 'off'}
            autoCapitalize="none"
            spellCheck={false}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={isPending} aria-busy={isPending}>
        {isPending ? 'Checking...' : 'Continue'}
      </Button>
      <button
        type="button"
        className="min-h-11 justify-self-start text-small text-primary underline underline-offset-4 hover:decoration-3"
        onClick={change}
      >
        {other}
      </button>
    </form>
  )
}
