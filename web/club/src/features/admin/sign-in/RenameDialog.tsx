import { useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
import { Button } from '@cloch/ui/components/button'
import { Dialog, DialogBody, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'
import { Input } from '@cloch/ui/components/input'
import { useRenamePasskey, type Passkey } from './queries/passkeys'

/** Characters of a passkey's name that the server takes. */
const maxName = 120

/** Names a passkey, so that a lost device can be told from the others. */
export function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name)
  const { mutate, isPending } = useRenamePasskey()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    mutate({ id: passkey.id, name: name.trim() }, { onSuccess: onClose })
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle>Name of the passkey</DialogTitle>
        </DialogHeader>
        <form onSubmit={submit} className="contents">
          <DialogBody>
            <Field name="passkey-name" label="Name" hint="Which device it is on, such as Anne’s phone" error={undefined}>
              {(control) => (
                <Input
                  {...control}
                  required
                  pattern=".*\S.*"
                  maxLength={maxName}
                  autoComplete="off"
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
          </DialogBody>
          <DialogFooter>
            <Button type="submit" disabled={isPending} aria-busy={isPending}>
              {isPending ? 'Saving...' : 'Save'}
            </Button>
            <Button variant="outline" onClick={onClose}>
              Cancel
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  )
}
