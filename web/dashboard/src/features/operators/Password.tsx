import { useQuery } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { get, post, remove } from '@/lib/api'
import { proofOf } from '@/lib/passkey'
import { sessionKey, useOperator } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { passkeysKey, type PasskeyList } from './contract'
import { ProofField } from './ProofField'

/** Changes or sets the password. An operator who has passkeys can also remove the password. */
export function Password() {
  const operator = useOperator()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useAction(
    async () => {
      const proof = await proofOf(operator, current)
      return post('/session/password', { ...('passkey' in proof ? proof : { current }), password })
    },
    {
      done: 'The password is changed',
      failed: 'The password was not changed',
      refresh: [sessionKey],
      onDone: () => {
        setCurrent('')
        setPassword('')
      },
    },
  )
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <>
      <form className="grid max-w-sm gap-3" onSubmit={submit}>
        {operator.password ? (
          <TextField
            label="Password now"
            type="password"
            required
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
          />
        ) : (
          <p className="text-muted-foreground">You have none: your passkeys alone sign you in.</p>
        )}
        <TextField
          label="New password"
          hint="At least 10 characters"
          type="password"
          required
          minLength={10}
          maxLength={256}
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
        />
        <Button type="submit" variant="outline" size="compact" className="justify-self-start" disabled={change.isPending}>
          {operator.password ? 'Change' : 'Make a password'}
        </Button>
      </form>
      {operator.password && <GiveUp />}
    </>
  )
}

/** Removes the password. This is offered to operators with a passkey, because a password that does not exist cannot be guessed or disclosed. */
function GiveUp() {
  const operator = useOperator()
  const [isAsked, setAsked] = useState(false)
  const [password, setPassword] = useState('')
  const passkeys = useQuery({
    queryKey: passkeysKey,
    queryFn: ({ signal }) => get<PasskeyList>('/session/passkeys', {}, signal),
  })
  const close = () => {
    setPassword('')
    setAsked(false)
  }
  const drop = useAction(async () => remove('/session/password', {}, await proofOf(operator, password)), {
    done: 'Your passkeys alone sign you in',
    failed: 'The password is still there',
    refresh: [sessionKey],
    onDone: close,
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    drop.mutate()
  }
  if ((passkeys.data?.passkeys.length ?? 0) === 0) return null
  return (
    <>
      <Button variant="outline" size="compact" className="justify-self-start" onClick={() => setAsked(true)}>
        Sign in with passkeys only
      </Button>
      {isAsked && (
        <Dialog
          title="Sign in with passkeys only?"
          onClose={close}
          className="sm:w-[min(30rem,calc(100vw-2rem))] max-sm:m-auto max-sm:h-fit"
        >
          <form className="grid gap-4" onSubmit={submit}>
            <p>
              The password and the codes are removed, and you are signed out everywhere else. If you lose your passkeys, an
              owner has to make you a link.
            </p>
            <ProofField value={password} onChange={setPassword} />
            <Button type="submit" variant="destructive" size="compact" className="justify-self-start" disabled={drop.isPending}>
              Remove the password
            </Button>
          </form>
        </Dialog>
      )}
    </>
  )
}
