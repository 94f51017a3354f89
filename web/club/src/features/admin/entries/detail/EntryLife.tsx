import { Merge, Pencil, Trash2, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/ConfirmDialog'
import { Button } from '@cloch/ui/components/button'
import { EntryDeletion } from '../deletion/EntryDeletion'
import { likelyDuplicates } from '../duplicates'
import { EntryForm } from '../edit/EntryForm'
import { useWithdraw } from '../edit/use-withdraw'
import type { Entry } from '../entry'
import { EntryMerge } from '../merge/EntryMerge'
import type { Submissions } from '../submissions'

interface EntryLifeProps {
  entry: Entry
  submissions: Submissions
  /** Called after the entry was deleted. */
  onGone: () => void
}

/** Actions on an entry: correct, merge with a duplicate, withdraw, restore, delete. */
export function EntryLife({ entry, submissions, onGone }: EntryLifeProps) {
  const [open, setOpen] = useState<'edit' | 'merge' | 'withdraw' | 'delete'>()
  const close = () => setOpen(undefined)
  const withdraw = useWithdraw(entry)
  const isWithdrawn = entry.withdrawnAt !== null
  const entries: readonly Entry[] = submissions[entry.award] ?? []
  const doubles = likelyDuplicates(entry, entries)
  return (
    <>
      <div className="flex flex-wrap gap-2.5">
        <Button size="sm" variant="outline" onClick={() => setOpen('edit')}>
          <Pencil aria-hidden />
          Edit
        </Button>
        {doubles.length > 0 && !isWithdrawn ? (
          <Button size="sm" variant="outline" onClick={() => setOpen('merge')}>
            <Merge aria-hidden />
            Merge
          </Button>
        ) : null}
        <Button
          size="sm"
          variant="outline"
          disabled={withdraw.isPending}
          onClick={() => (isWithdrawn ? withdraw.mutate() : setOpen('withdraw'))}
        >
          <Undo2 aria-hidden />
          {isWithdrawn ? 'Take back' : 'Withdraw'}
        </Button>
        <Button size="sm" variant="ghost" onClick={() => setOpen('delete')}>
          <Trash2 aria-hidden />
          Delete
        </Button>
      </div>
      {open === 'edit' ? <EntryForm entry={entry} onClose={close} /> : null}
      {open === 'merge' ? (
        <EntryMerge award={entry.award} entries={entries} suspected={[entry, ...doubles]} onClose={close} />
      ) : null}
      {open === 'delete' ? <EntryDeletion entry={entry} onClose={close} onDeleted={onGone} /> : null}
      <ConfirmDialog
        open={open === 'withdraw'}
        title="Withdraw this entry?"
        confirm="Withdraw"
        onConfirm={() => {
          close()
          withdraw.mutate()
        }}
        onCancel={close}
      >
        {entry.name} is no longer judged or counted. The entry stays here, under Withdrawn, and can be taken back.
      </ConfirmDialog>
    </>
  )
}
