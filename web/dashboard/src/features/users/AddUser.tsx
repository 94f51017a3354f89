import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { CheckField, TextField } from '@/components/fields'
import { Refused } from '@/components/states'
import { post } from '@/lib/api'
import { useAction } from '@/lib/use-action'
import { usersKey } from './contract'

/** Dialog that adds a user with a password, or sends an invitation. */
export function AddUser({ kind, onClose }: { kind: 'user' | 'invite'; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isConfirmed, setConfirmed] = useState(true)
  const isInvite = kind === 'invite'
  const add = useAction(
    () => (isInvite ? post('/users/invite', { email }) : post('/users', { email, password, email_confirm: isConfirmed })),
    {
      done: isInvite ? `The invitation to ${email} is on its way` : `${email} can sign in`,
      refresh: [usersKey, ['project']],
      onDone: onClose,
    },
  )
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Dialog
      title={isInvite ? 'Invite a user' : 'Add a user'}
      onClose={onClose}
      isDirty={email !== ''}
      className="sm:w-[min(30rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button type="submit" form="add-user" size="compact" disabled={add.isPending} aria-busy={add.isPending}>
            {isInvite ? 'Send the invitation' : 'Add'}
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <form id="add-user" className="grid gap-4" onSubmit={submit}>
        <TextField label="E-mail" type="email" required autoComplete="off" value={email} onChange={setEmail} />
        {!isInvite && (
          <>
            <TextField
              label="Password"
              type="password"
              required
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
            />
            <CheckField
              label="The address is confirmed"
              hint="Otherwise the user confirms it by mail before the first sign-in"
              checked={isConfirmed}
              onChange={setConfirmed}
            />
          </>
        )}
        {add.isError && <Refused error={add.error} />}
      </form>
    </Dialog>
  )
}
