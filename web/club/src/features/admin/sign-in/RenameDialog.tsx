import { OneFieldDialog } from '../shared/OneFieldDialog'
import { useRenamePasskey, type Passkey } from './queries/passkeys'

/** Maximum length of a passkey's name. */
const maxName = 120

/** Dialog that renames a passkey. With good names, the user can find the passkey of a lost device. */
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
