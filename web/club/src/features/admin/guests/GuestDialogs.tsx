import { ConfirmDialog } from '@/components/ConfirmDialog'
import { GuestForm } from './GuestForm'
import { GuestImport } from './GuestImport'
import { GuestLetter } from './GuestLetter'
import { GuestMailing } from './GuestMailing'
import { useDeleteGuest } from './queries/delete-guest'
import type { Guest } from './queries/list-guests'

export type GuestDialogState =
  | { kind: 'edit'; guest: Guest | undefined }
  | { kind: 'delete'; guest: Guest }
  | { kind: 'import' }
  | { kind: 'mail-one'; guest: Guest & { email: string } }
  | { kind: 'mail-many'; guests: readonly Guest[] }

interface GuestDialogsProps {
  state: GuestDialogState | undefined
  onClose: () => void
  onStartMailing: (message: string, guests: readonly Guest[]) => Promise<boolean>
}

/** The dialog of the guest list that is open, if any. */
export function GuestDialogs({ state, onClose, onStartMailing }: GuestDialogsProps) {
  const { mutate: remove } = useDeleteGuest()
  switch (state?.kind) {
    case undefined:
      return null
    case 'edit':
      return <GuestForm guest={state.guest} onClose={onClose} />
    case 'import':
      return <GuestImport onClose={onClose} />
    case 'mail-one':
      return <GuestLetter guest={state.guest} onClose={onClose} />
    case 'mail-many':
      return (
        <GuestMailing guests={state.guests} onStart={(message) => onStartMailing(message, state.guests)} onClose={onClose} />
      )
    case 'delete':
      return (
        <ConfirmDialog
          open
          title="Are you sure you want to delete this guest?"
          confirm="Delete guest"
          onCancel={onClose}
          onConfirm={() => {
            remove(state.guest)
            onClose()
          }}
        >
          {state.guest.name} will be taken off the list.
        </ConfirmDialog>
      )
  }
}
