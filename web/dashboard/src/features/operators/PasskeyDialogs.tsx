import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { patch, path, remove } from '@/lib/api'
import { proofOf } from '@/lib/passkey'
import { useOperator } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { passkeysKey, type Passkey } from './contract'
import { ProofField } from './ProofField'

const small = 'sm:w-[min(30rem,calc(100vw-2rem))] max-sm:m-auto max-sm:h-fit'

interface PasskeyDialogProps {
  passkey: Passkey
  onClose: () => void
}

export function RenamePasskey({ passkey, onClose }: PasskeyDialogProps) {
  const [name, setName] = useState(passkey.name)
  const rename = useAction(() => patch(path`/session/passkeys/${passkey.id}`, { name }), {
    done: 'The passkey is renamed',
    failed: 'The passkey was not renamed',
    refresh: [passkeysKey],
    onDone: onClose,
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    rename.mutate()
  }
  return (
    <Dialog title={`Rename ${passkey.name}`} onClose={onClose} className={small}>
      <form className="grid gap-4" onSubmit={submit}>
        <TextField label="Name" required maxLength={100} autoComplete="off" value={name} onChange={setName} />
        <Button type="submit" size="compact" className="justify-self-start" disabled={rename.isPending}>
          Rename
        </Button>
      </form>
    </Dialog>
  )
}

export function RemovePasskey({ passkey, onClose }: PasskeyDialogProps) {
  const operator = useOperator()
  const [password, setPassword] = useState('')
  const drop = useAction(async () => remove(path`/session/passkeys/${passkey.id}`, {}, await proofOf(operator, password)), {
    done: 'The passkey is removed',
    failed: 'The passkey was not removed',
    refresh: [passkeysKey],
    onDone: onClose,
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    drop.mutate()
  }
  return (
    <Dialog title={`Remove ${passkey.name}?`} onClose={onClose} className={small}>
      <form className="grid gap-4" onSubmit={submit}>
        <p>It signs in no more. Remove it on the device as well: there it would still be offered.</p>
        <ProofField value={password} onChange={setPassword} />
        <Button type="submit" variant="destructive" size="compact" className="justify-self-start" disabled={drop.isPending}>
          Remove
        </Button>
      </form>
    </Dialog>
  )
}
