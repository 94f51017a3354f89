import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { TextField } from '@/components/fields'
import { ApiError, post } from '@/lib/api'
import { describeError } from '@/lib/notify'
import { hasPasskeys, signInAnswer } from '@/lib/passkey'
import { keepSession, type Session } from '@/lib/session'
import { Door, Refusal } from './Door'

export function SignIn({ hasFirst }: { hasFirst: boolean }) {
  if (hasFirst) return <NobodyYet />
  return (
    <Door title="Sign in">
      <SignInForm />
      <p className="text-small text-muted-foreground">
        This is for the project’s operators. A password is set anew by a link: from an owner, or from{' '}
        <code>cloch operators link EMAIL</code> on the server’s machine. While there is no operator, <code>cloch status</code>{' '}
        prints one.
      </p>
    </Door>
  )
}

/**
 * Sign-in form. The operator enters the password and, if the account has a second factor, its code. A passkey can be used in place of both.
 * @param email address of the operator who was signed in before
 */
export function SignInForm({ email: known = '' }: { email?: string }) {
  const client = useQueryClient()
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const signIn = useMutation({
    mutationFn: () => post<Session>('/session', { email, password, ...(code === '' ? {} : { code }) }),
    onSuccess: (session) => keepSession(client, session),
  })
  const withPasskey = useMutation({
    mutationFn: async () => post<Session>('/session/passkey', await signInAnswer()),
    onMutate: () => signIn.reset(),
    onSuccess: (session) => keepSession(client, session),
  })
  const refusal = signIn.error ?? withPasskey.error
  const needsCode = (refusal instanceof ApiError && refusal.code === 'totp_required') || code !== ''
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    withPasskey.reset()
    signIn.mutate()
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      {refusal && !(refusal instanceof ApiError && refusal.code === 'totp_required') && (
        <Refusal>{describeError(refusal)}</Refusal>
      )}
      <TextField label="E-mail" type="email" autoComplete="username" required value={email} onChange={setEmail} />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
      {needsCode && (
        <TextField
          label="Code"
          hint="The six digits that your authenticator app shows"
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          required
          value={code}
          onChange={setCode}
        />
      )}
      <Button type="submit" size="sm" disabled={signIn.isPending} aria-busy={signIn.isPending}>
        {signIn.isPending ? 'Signing in…' : 'Sign in'}
      </Button>
      {hasPasskeys() && (
        <Button
          variant="outline"
          size="sm"
          disabled={withPasskey.isPending}
          aria-busy={withPasskey.isPending}
          onClick={() => withPasskey.mutate()}
        >
          <KeyRound aria-hidden />
          {withPasskey.isPending ? 'Waiting for the passkey…' : 'Use a passkey'}
        </Button>
      )}
    </form>
  )
}

function NobodyYet() {
  return (
    <Door title="Nobody is here yet">
      <p>
        The first operator signs in by a link that <code>cloch start</code> prints. It can be used once, for one day.
      </p>
      <p>
        Look at the terminal in which Cloch runs, or run <code>cloch status</code>, and open the link that ends in{' '}
        <code>/_/welcome#token=…</code>
      </p>
    </Door>
  )
}
