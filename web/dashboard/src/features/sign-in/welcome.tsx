import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type SyntheticEvent } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { TextField } from '@/components/fields'
import { Failed, Loading } from '@/components/states'
import { ApiError, post } from '@/lib/api'
import { describeError } from '@/lib/notify'
import { keepSession, type OperatorRole, type Session } from '@/lib/session'
import { Door, Refusal } from './Door'

interface Invitation {
  kind: 'first' | 'invite' | 'reset'
  email: string | null
  role: OperatorRole
}

/** Minimum length of a password. */
const shortest = 10

/**
 * The page that an invitation link opens. The token is in the URL's fragment. Browsers do not send the fragment, so the token is in no server's log.
 */
export function Component() {
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '')
  const invitation = useQuery({
    queryKey: ['welcome'],
    queryFn: () => post<Invitation>('/welcome/check', { token }),
    staleTime: Infinity,
    retry: false,
  })
  const { data, error } = invitation
  if (data) return <SetPassword token={token} invitation={data} />
  if (error instanceof ApiError && error.status === 404) return <UsedUp />
  return (
    <Door title="Welcome">
      {error ? <Failed error={error} onRetry={() => void invitation.refetch()} /> : <Loading what="the invitation" />}
    </Door>
  )
}

function UsedUp() {
  return (
    <Door title="This link cannot be used">
      <p>
        It was used before, or its time is over. An owner can make another; while there is no operator, the next start prints
        one.
      </p>
      <p>
        <a href="/_/">Sign in</a>
      </p>
    </Door>
  )
}

const titles = { first: 'Become the first operator', invite: 'You are invited', reset: 'Set a new password' }

function SetPassword({ token, invitation }: { token: string; invitation: Invitation }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [email, setEmail] = useState(invitation.email ?? '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const isFirst = invitation.kind === 'first'
  const set = useMutation({
    mutationFn: () =>
      post<Session>('/welcome', {
        token,
        password,
        ...(isFirst ? { email } : {}),
        ...(name.trim() === '' ? {} : { name: name.trim() }),
      }),
    onSuccess: async (session) => {
      keepSession(client, session)
      await navigate('/', { replace: true })
    },
  })
  const isShort = password !== '' && password.length < shortest
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (password.length >= shortest) set.mutate()
  }
  return (
    <Door title={titles[invitation.kind]}>
      <form className="grid gap-4" onSubmit={submit}>
        {set.isError && <Refusal>{describeError(set.error)}</Refusal>}
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          readOnly={!isFirst}
          value={email}
          onChange={setEmail}
        />
        {invitation.kind !== 'reset' && (
          <TextField label="Name (optional)" autoComplete="name" value={name} onChange={setName} />
        )}
        <TextField
          label="Password"
          hint={`At least ${shortest} characters`}
          error={isShort && set.isError ? `A password has at least ${shortest} characters.` : undefined}
          type="password"
          autoComplete="new-password"
          required
          minLength={shortest}
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
        <Button type="submit" size="sm" disabled={set.isPending} aria-busy={set.isPending}>
          {set.isPending ? 'One moment…' : 'Set the password and sign in'}
        </Button>
      </form>
    </Door>
  )
}
