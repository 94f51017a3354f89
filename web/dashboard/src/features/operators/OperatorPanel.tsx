import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Confirm } from '@/components/Confirm'
import { Copyable } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { Facts } from '@/components/Facts'
import { SelectField } from '@/components/fields'
import { patch, path, post, remove } from '@/lib/api'
import { firstText, formatTime } from '@/lib/format'
import type { OperatorRole } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { operatorsKey, roleWords, type OperatorRow } from './contract'

/** The actions that an owner can perform on another operator. */
export function OperatorPanel({ operator, onClose }: { operator: OperatorRow; onClose: () => void }) {
  const [isAsked, setAsked] = useState(false)
  const name = firstText(operator.name) ?? operator.email
  const refresh = [operatorsKey]
  const change = useAction(
    (part: { role?: OperatorRole; disabled?: boolean }) => patch(path`/operators/${operator.id}`, part),
    {
      done: 'Changed',
      failed: 'Nothing was changed',
      refresh,
    },
  )
  const end = useAction(() => remove(path`/operators/${operator.id}/sessions`), {
    done: `${name} is signed out everywhere`,
    failed: 'Nobody was signed out',
    refresh,
  })
  const link = useAction(() => post<{ link: string; expires_at: string }>(path`/operators/${operator.id}/link`), {
    failed: 'No link was made',
  })
  const drop = useAction(() => remove(path`/operators/${operator.id}`), {
    done: `${name} is no operator any more`,
    failed: 'Nobody was removed',
    refresh: [...refresh, ['project']],
    onDone: onClose,
  })
  return (
    <Dialog title={name} place="side" onClose={onClose}>
      <Facts
        facts={[
          ['E-mail', operator.email],
          ['Since', formatTime(operator.created_at)],
          ['Last seen', formatTime(operator.last_seen_at)],
          ['Second factor', operator.totp ? 'on' : 'off'],
          ['Passkeys', operator.passkeys],
          ['Sessions', operator.sessions],
        ]}
      />
      <SelectField
        label="Role"
        value={operator.role}
        disabled={change.isPending}
        onChange={(role) => change.mutate({ role: role as OperatorRole })}
      >
        {Object.entries(roleWords).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="compact" disabled={link.isPending} onClick={() => link.mutate()}>
          Reset the ways to sign in
        </Button>
        <Button
          variant="outline"
          size="compact"
          disabled={end.isPending || operator.sessions === 0}
          onClick={() => end.mutate()}
        >
          End the sessions
        </Button>
        <Button
          variant="outline"
          size="compact"
          disabled={change.isPending}
          onClick={() => change.mutate({ disabled: !operator.disabled })}
        >
          {operator.disabled ? 'Enable' : 'Disable'}
        </Button>
        <Button variant="outline" size="compact" onClick={() => setAsked(true)}>
          Remove
        </Button>
      </div>
      {link.data && (
        <>
          <p>Send this link. It is shown only now, can be used once, and ends on {formatTime(link.data.expires_at)}.</p>
          <Copyable name="Link" value={link.data.link} />
        </>
      )}
      {isAsked && (
        <Confirm
          title={`Remove ${name}?`}
          confirm="Remove"
          isPending={drop.isPending}
          onConfirm={() => drop.mutate()}
          onClose={() => setAsked(false)}
        >
          They are signed out at once. What they did stays in the audit.
        </Confirm>
      )}
    </Dialog>
  )
}
