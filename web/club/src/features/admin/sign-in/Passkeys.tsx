import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/ConfirmDialog'
import { formatDay, formatMoment } from '@/lib/dates'
import { passkeysPossible } from '@/lib/passkeys'
import { Button } from '@cloch/ui/components/button'
import { BlockTable, type Column } from '../shared/BlockTable'
import { ListState } from '../shared/ListState'
import { RowActions } from '../shared/RowActions'
import { passkeysQuery, useAddPasskey, useDeletePasskey, type Passkey } from './queries/passkeys'
import { RenameDialog } from './RenameDialog'

/** The administrator's passkeys. A passkey is used for signing in instead of the password. */
export function Passkeys() {
  const passkeys = useQuery(passkeysQuery)
  const add = useAddPasskey()
  return (
    <section aria-labelledby="passkeys" className="mt-12 grid justify-items-start gap-3">
      <h2 id="passkeys" className="text-[1.375rem] leading-tight">
        Your passkeys
      </h2>
      <p className="max-w-[36em]">
        Sign in with your fingerprint, your face, or the PIN of your phone or computer, in place of your password. Your device
        keeps the passkey; the club never gets your fingerprint or your face. Your password goes on working.
      </p>
      <ListState query={passkeys} failed="Failed to load your passkeys">
        {(all) => (all.length > 0 ? <PasskeyTable passkeys={all} /> : null)}
      </ListState>
      {passkeysPossible() ? (
        <Button size="sm" disabled={add.isPending} aria-busy={add.isPending} onClick={() => add.mutate(undefined)}>
          <KeyRound aria-hidden />
          {add.isPending ? 'Waiting for your device...' : 'Add a passkey'}
        </Button>
      ) : (
        <p className="text-muted-foreground">This browser cannot make a passkey for this address.</p>
      )}
    </section>
  )
}

function PasskeyTable({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [renaming, setRenaming] = useState<Passkey>()
  const [deleting, setDeleting] = useState<Passkey>()
  const remove = useDeletePasskey()
  const columns: Column<Passkey>[] = [
    { name: 'Name', cell: ({ name }) => name, lead: true },
    { name: 'Added', cell: ({ since }) => formatDay(since) },
    { name: 'Last sign-in', cell: ({ lastUsed }) => (lastUsed ? formatMoment(lastUsed) : '-') },
    {
      name: 'Actions',
      corner: true,
      cell: (passkey) => (
        <RowActions name={passkey.name} onEdit={() => setRenaming(passkey)} onDelete={() => setDeleting(passkey)} />
      ),
    },
  ]
  return (
    <div className="w-full">
      <BlockTable label="Your passkeys" columns={columns} rows={passkeys} />
      {renaming ? <RenameDialog passkey={renaming} onClose={() => setRenaming(undefined)} /> : null}
      <ConfirmDialog
        open={deleting !== undefined}
        title="Delete this passkey?"
        confirm="Delete"
        onConfirm={() => {
          if (deleting) remove.mutate(deleting)
          setDeleting(undefined)
        }}
        onCancel={() => setDeleting(undefined)}
      >
        {deleting?.name} signs you in no more. Your device may go on offering it until you delete it there, too.
      </ConfirmDialog>
    </div>
  )
}
