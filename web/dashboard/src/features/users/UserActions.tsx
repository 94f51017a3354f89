import { Ban, KeyRound, LogIn, MailQuestion, Trash2 } from 'lucide-react'
import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Confirm } from '@/components/Confirm'
import { Copyable } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { path, post, put, remove } from '@/lib/api'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { isBanned, nameOf, usersKey, type User } from './contract'

/** Number of hours for a ban without an end: a hundred years. */
const forever = '876000h'

/** Actions on a user account. */
export function UserActions({ user, onGone }: { user: User; onGone: () => void }) {
  const [asked, setAsked] = useState<'ban' | 'remove' | 'password' | 'impersonate'>()
  const isOwner = useMay('owner')
  const close = () => setAsked(undefined)
  const name = nameOf(user)
  const refresh = [usersKey]
  const recover = useAction(() => post(path`/users/${user.id}/recover`), {
    done: `A link to set a new password is on its way to ${name}`,
    failed: 'No mail was sent',
  })
  const ban = useAction((ban_duration: string) => put(path`/users/${user.id}`, { ban_duration }), {
    done: (_, duration) => (duration === 'none' ? `${name} may sign in again` : `${name} is banned`),
    failed: 'Nothing was changed',
    refresh,
    onDone: close,
  })
  const drop = useAction(() => remove(path`/users/${user.id}`, { soft: false }), {
    done: `${name} is deleted`,
    failed: 'Nobody was deleted',
    refresh: [...refresh, ['project']],
    onDone: onGone,
  })
  return (
    <div className="flex flex-wrap gap-2">
      {user.email && (
        <Button variant="outline" size="compact" disabled={recover.isPending} onClick={() => recover.mutate()}>
          <MailQuestion aria-hidden />
          Send a reset link
        </Button>
      )}
      <Button variant="outline" size="compact" onClick={() => setAsked('password')}>
        <KeyRound aria-hidden />
        Set a password
      </Button>
      {isOwner && user.email && (
        <Button variant="outline" size="compact" onClick={() => setAsked('impersonate')}>
          <LogIn aria-hidden />
          Sign in as
        </Button>
      )}
      {isBanned(user) ? (
        <Button variant="outline" size="compact" onClick={() => ban.mutate('none')}>
          Lift the ban
        </Button>
      ) : (
        <Button variant="outline" size="compact" onClick={() => setAsked('ban')}>
          <Ban aria-hidden />
          Ban
        </Button>
      )}
      <Button variant="outline" size="compact" onClick={() => setAsked('remove')}>
        <Trash2 aria-hidden />
        Delete
      </Button>
      {asked === 'ban' && (
        <Confirm
          title={`Ban ${name}?`}
          confirm="Ban"
          isPending={ban.isPending}
          onConfirm={() => ban.mutate(forever)}
          onClose={close}
        >
          New sign-ins are refused until the ban is lifted. Tokens that are out work until they end.
        </Confirm>
      )}
      {asked === 'remove' && (
        <Confirm
          title={`Delete ${name}?`}
          confirm="Delete"
          isPending={drop.isPending}
          onConfirm={() => drop.mutate()}
          onClose={close}
        >
          The account, its sessions and its identities go for good, and rows that refer to it as their foreign keys say.
        </Confirm>
      )}
      {asked === 'password' && <PasswordDialog user={user} onClose={close} />}
      {asked === 'impersonate' && <ImpersonateDialog user={user} onClose={close} />}
    </div>
  )
}

function PasswordDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const [password, setPassword] = useState('')
  const set = useAction(() => put(path`/users/${user.id}`, { password }), {
    done: 'The password is set',
    failed: 'The password was not set',
    refresh: [usersKey],
    onDone: onClose,
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (password !== '') set.mutate()
  }
  return (
    <Dialog
      title={`Set a password for ${nameOf(user)}`}
      onClose={onClose}
      isDirty={password !== ''}
      className="sm:w-[min(30rem,calc(100vw-2rem))]"
      footer={
        <Button type="submit" form="set-password" size="compact" disabled={password === '' || set.isPending}>
          Set it
        </Button>
      }
    >
      <form id="set-password" onSubmit={submit}>
        <TextField label="New password" type="password" autoComplete="new-password" value={password} onChange={setPassword} />
      </form>
    </Dialog>
  )
}

/**
 * Dialog with a link that signs in as the user. The link is shown and not opened, because the sign-in replaces the session in the browser. The
 * operator has to open it in another browser or in a private window.
 */
function ImpersonateDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const make = useAction(() => post<{ link: string }>(path`/users/${user.id}/link`, { type: 'magiclink' }), {
    failed: 'No link was made',
  })
  return (
    <Dialog
      title={`Sign in as ${nameOf(user)}`}
      description="You will be this user in your app: what you do there is done in their name. It is recorded in the audit that you asked."
      onClose={onClose}
      footer={
        make.data ? undefined : (
          <Button size="compact" disabled={make.isPending} onClick={() => make.mutate()}>
            Make a link
          </Button>
        )
      }
    >
      {make.data ? (
        <>
          <p>It can be used once. Open it in a private window, so that your own session stays.</p>
          <Copyable name="Link" value={make.data.link} />
        </>
      ) : (
        <p>The link signs in without a password or second factor.</p>
      )}
    </Dialog>
  )
}
