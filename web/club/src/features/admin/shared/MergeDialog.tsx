import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '@/lib/errors'
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
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { MergePicker, type Mergeable } from './MergePicker'

/** The properties of a dialog that differ between the kinds of records. */
export interface MergeSpec {
  title: string
  /** A sentence about what happens to the records that are not kept. */
  consequence: string
  tooFew: string
  noneKept: string
  merge: (keep: string, others: string[]) => Promise<number>
  merged: (others: number) => string
  failed: string
  stale: readonly QueryKey[]
}

interface MergeDialogProps {
  spec: MergeSpec
  records: readonly Mergeable[]
  /** Ids of the records that are selected at first. */
  initial?: readonly string[]
  onClose: () => void
}

/** Dialog that merges duplicates: the user selects the duplicates, and the one that is kept. */
export function MergeDialog({ spec, records, initial = [], onClose }: MergeDialogProps) {
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<string[]>([...initial])
  const [kept, setKept] = useState('')
  const keep = chosen.includes(kept) ? kept : ''
  const missing = chosen.length < 2 ? spec.tooFew : keep === '' ? spec.noneKept : undefined

  const merge = useMutation({
    mutationFn: () =>
      spec.merge(
        keep,
        chosen.filter((id) => id !== keep),
      ),
    onSuccess: (others) => {
      notifySuccess({ title: 'Success', description: spec.merged(others) })
      onClose()
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error, spec.failed) }),
    onSettled: () => spec.stale.forEach((queryKey) => void queries.invalidateQueries({ queryKey })),
  })

  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{spec.title}</DialogTitle>
          <DialogDescription>{spec.consequence}</DialogDescription>
        </DialogHeader>
        <DialogBody className="flex-1">
          <MergePicker records={records} chosen={chosen} onChosen={setChosen} kept={keep} onKept={setKept} />
          {missing === undefined ? null : (
            <p role="status" className="font-strong">
              {missing}
            </p>
          )}
        </DialogBody>
        <DialogFooter>
          <Button
            disabled={missing !== undefined || merge.isPending}
            aria-busy={merge.isPending}
            onClick={() => merge.mutate()}
          >
            {merge.isPending ? 'Merging...' : spec.title}
          </Button>
          <Button variant="outline" onClick={onClose}>
            Cancel
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
