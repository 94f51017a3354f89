import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Copyable } from '@/components/Copy'
import { TextField } from '@/components/fields'
import { post, remove } from '@/lib/api'
import { sessionKey } from '@/lib/session'
import { useAction } from '@/lib/use-action'

interface Enrolment {
  secret: string
  uri: string
  qr_svg: string
}

/** Enables or disables the second factor. To enable it, the operator enters a code of an authenticator app. */
export function SecondFactor({ isOn }: { isOn: boolean }) {
  const [password, setPassword] = useState('')
  const enrol = useAction(() => post<Enrolment>('/session/totp', { password }), {
    failed: 'The second factor was not begun',
    onDone: () => setPassword(''),
  })
  const drop = useAction(() => remove('/session/totp', {}, { password }), {
    done: 'The second factor is off',
    failed: 'The second factor is still on',
    refresh: [sessionKey],
    onDone: () => setPassword(''),
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (isOn) drop.mutate()
    else enrol.mutate()
  }
  if (enrol.data && !isOn) return <Code enrolment={enrol.data} />
  return (
    <form className="grid max-w-sm gap-3" onSubmit={submit}>
      <p className="text-muted-foreground">
        {isOn
          ? 'A code from your authenticator app is asked for at every sign-in.'
          : 'With it a stolen password alone opens nothing.'}
      </p>
      <TextField
        label="Your password"
        type="password"
        required
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      <Button
        type="submit"
        variant="outline"
        size="compact"
        className="justify-self-start"
        disabled={drop.isPending || enrol.isPending}
      >
        {isOn ? 'Turn it off' : 'Turn it on'}
      </Button>
    </form>
  )
}

function Code({ enrolment }: { enrolment: Enrolment }) {
  const [code, setCode] = useState('')
  const confirm = useAction(() => post('/session/totp/confirm', { code }), {
    done: 'The second factor is on',
    failed: 'The code was not accepted',
    refresh: [sessionKey],
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <form className="grid max-w-md gap-3" onSubmit={submit}>
      <p>Let your authenticator app read this picture, and type the code that it shows.</p>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(enrolment.qr_svg)}`}
        alt="The secret as a picture for an authenticator app"
        className="size-48 rounded bg-white p-2"
      />
      <Copyable name="Or the secret" value={enrolment.secret} />
      <TextField label="Code" inputMode="numeric" autoComplete="one-time-code" required value={code} onChange={setCode} />
      <Button type="submit" size="compact" className="justify-self-start" disabled={confirm.isPending}>
        Turn it on
      </Button>
    </form>
  )
}
