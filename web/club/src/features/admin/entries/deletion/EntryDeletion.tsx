import { useQuery } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
import { Button } from '@cloch/ui/components/button'
import {
  Dialog,
  DialogBody,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@cloch/ui/components/dialog'
import { Input } from '@cloch/ui/components/input'
import { placeTitle } from '../../files/bucket'
import { awardNames } from '../../shared/award'
import { LoadFailed } from '../../shared/LoadFailed'
import { Loading } from '../../shared/Loading'
import type { Entry } from '../entry'
import { useDeleteEntry } from './queries/delete-entry'
import { entryTracesQuery, type EntryTraces } from './queries/entry-traces'

interface EntryDeletionProps {
  entry: Entry
  onClose: () => void
  onDeleted: () => void
}

/** Shows everything that is stored about an entry. Deletes the entry when the user has typed its name. */
export function EntryDeletion({ entry, onClose, onDeleted }: EntryDeletionProps) {
  const traces = useQuery(entryTracesQuery(entry))
  const [typed, setTyped] = useState('')
  const { mutate, isPending } = useDeleteEntry(entry)
  const isConfirmed = typed.trim() === entry.name.trim()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isConfirmed && traces.data) mutate(undefined, { onSuccess: onDeleted })
  }
  return (
    <Dialog open onOpenChange={(open) => (open || isPending ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>
            Delete this {awardNames[entry.award].record.toLowerCase()}: {entry.name}
          </DialogTitle>
          <DialogDescription>
            For a parent who asks for it. This is what would go, and nothing has been deleted yet. The log keeps that an entry
            was deleted, when and by whom, and no word of what stood in it.
          </DialogDescription>
        </DialogHeader>
        <form onSubmit={submit} className="contents">
          <DialogBody className="flex-1">
            {traces.isError ? (
              <LoadFailed onRetry={() => void traces.refetch()}>What would go could not be read</LoadFailed>
            ) : traces.data ? (
              <Traces traces={traces.data} />
            ) : (
              <Loading />
            )}
            <Field
              name="entry-confirmation"
              label={`Type ${entry.name} to confirm`}
              hint="It cannot be undone."
              error={undefined}
            >
              {(control) => (
                <Input {...control} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
              )}
            </Field>
          </DialogBody>
          <DialogFooter>
            <Button
              type="submit"
              variant="destructive"
              disabled={!isConfirmed || !traces.data || isPending}
              aria-busy={isPending}
            >
              {isPending ? 'Deleting...' : 'Delete for good'}
            </Button>
            <Button variant="outline" disabled={isPending} onClick={onClose}>
              Cancel
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  )
}

function Traces({ traces: { files, mails } }: { traces: EntryTraces }) {
  const mailCount = mails.reduce((sum, { mails: count }) => sum + count, 0)
  return (
    <div className="grid gap-3">
      <h3 className="font-sans text-[1.0625rem] font-bold tracking-normal">The entry and its history</h3>
      <h3 className="font-sans text-[1.0625rem] font-bold tracking-normal">Files: {files.length}</h3>
      {files.length > 0 ? (
        <ul className="grid list-disc gap-1 pl-5 [overflow-wrap:anywhere]">
          {files.map(({ bucket_id, name }) => (
            <li key={`${bucket_id}/${name}`}>
              {placeTitle(bucket_id, name)}: {name}
            </li>
          ))}
        </ul>
      ) : null}
      <h3 className="font-sans text-[1.0625rem] font-bold tracking-normal">Mails kept here: {mailCount}</h3>
      <p>
        Exports go as well, since they hold every entry. What was sent by mail lies in its recipients’ mailboxes: ask them to
        delete it. Backups keep what was there until they run out.
      </p>
    </div>
  )
}
