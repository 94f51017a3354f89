import { OneFieldDialog } from '../shared/OneFieldDialog'
import { useRenamePasskey, type Passkey } from './queries/passkeys'

/** Characters of a passkey's name that the server takes. */
const maxName = 120

/** Names a passkey, so that a lost device can be told from the others. */
export function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { mutate, isPending } = useRenamePasskey()
  return (
    <OneFieldDialog
      title="Name of the passkey"
      name="passkey-name"
      label="Name"
      hint="Which device it is on, such as Anne’s phone"
      input={{ pattern: '.*\\S.*' }}
      max={maxName}
      initial={passkey.name}
      submit="Save"
      submitting="Saving..."
      isPending={isPending}
      onSubmit={(name) => mutate({ id: passkey.id, name: name.trim() }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
