import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Facts } from '@/components/Facts'
import { TextField } from '@/components/fields'
import { Page, Section } from '@/components/Page'
import { post, remove } from '@/lib/api'
import { useOperator } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { SecondFactor } from './SecondFactor'

/** What an operator can do for their own account. */
export function Component() {
  const operator = useOperator()
  const others = useAction(() => remove('/session/others'), {
    done: 'You are signed out everywhere else',
    failed: 'Nothing was changed',
  })
  return (
    <Page title="Your account">
      <div className="grid max-w-5xl items-start gap-8 xl:grid-cols-2">
        <Section title="Who you are">
          <Facts
            facts={[
              ['E-mail', operator.email],
              ['Name', operator.name ?? '–'],
              ['Role', operator.role],
            ]}
          />
          <Button variant="outline" size="compact" className="justify-self-start" onClick={() => others.mutate()}>
            Sign out everywhere else
          </Button>
        </Section>
        <Section title="Second factor">
          <SecondFactor isOn={operator.totp} />
        </Section>
        <Section title="Password">
          <PasswordForm />
        </Section>
      </div>
    </Page>
  )
}

function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useAction(() => post('/session/password', { current, password }), {
    done: 'The password is changed',
    failed: 'The password was not changed',
    onDone: () => {
      setCurrent('')
      setPassword('')
    },
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <form className="grid max-w-sm gap-3" onSubmit={submit}>
      <TextField
        label="Password now"
        type="password"
        required
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
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
        Change
      </Button>
    </form>
  )
}
