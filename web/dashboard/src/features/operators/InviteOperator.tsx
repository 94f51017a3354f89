import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Copyable } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { SelectField, TextField } from '@/components/fields'
import { Refused } from '@/components/states'
import { post } from '@/lib/api'
import { formatTime } from '@/lib/format'
import type { OperatorRole } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { operatorsKey, roleWords } from './contract'

/** Creates a link with which a person can become an operator. The link is shown only once. The server does not send it; the owner does. */
export function InviteOperator({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<OperatorRole>('developer')
  const invite = useAction(() => post<{ link: string; expires_at: string }>('/operators', { email, role }), {
    refresh: [operatorsKey, ['project']],
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    invite.mutate()
  }
  if (invite.data)
    return (
      <Dialog title="The invitation" onClose={onClose}>
        <p>
          Send this link to {email}. It is shown only now, can be used once, and ends on {formatTime(invite.data.expires_at)}.
        </p>
        <Copyable name="Link" value={invite.data.link} />
      </Dialog>
    )
  return (
    <Dialog
      title="Invite an operator"
      onClose={onClose}
      isDirty={email !== ''}
      className="sm:w-[min(32rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button type="submit" form="invite" size="compact" disabled={invite.isPending}>
            Make a link
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <form id="invite" className="grid gap-4" onSubmit={submit}>
        <TextField label="E-mail" type="email" required autoComplete="off" value={email} onChange={setEmail} />
        <SelectField label="Role" value={role} onChange={(next) => setRole(next as OperatorRole)}>
          {Object.entries(roleWords).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        {invite.isError && <Refused error={invite.error} />}
      </form>
    </Dialog>
  )
}
