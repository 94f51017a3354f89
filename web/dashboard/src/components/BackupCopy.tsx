import { useQuery } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { get, post, remove } from '@/lib/api'
import { limits, restoreKey, stepText, type Restorable, type RowCopy } from '@/lib/row-copy'
import { useAction } from '@/lib/use-action'
import { Dialog } from './Dialog'
import { TextField } from './fields'
import { NoBackup } from './NoBackup'
import { Empty, Refused, Result } from './states'

/** Milliseconds between two polls. The state is polled while a copy is being prepared, and until the first base backup is complete. */
const pollMs = 1000
const stateKey = [...restoreKey, 'state']

interface BackupCopyProps {
  title: string
  /** The restored items in the plural, and how they were changed: “rows” that were “changed”. */
  what: string
  how: string
  onClose: () => void
  /** Renders the selection of what is restored, when the copy is ready. */
  children: (copy: { moment: string; isLeaving: boolean; onOther: () => void }) => ReactNode
}

/**
 * Dialog that restores a part of the project from the backup, in three steps: choose a point in time, wait for a copy of the database, choose what is
 * restored.
 */
export function BackupCopy({ title, what, how, onClose, children }: BackupCopyProps) {
  const isOwn = useRef(false)
  const restorable = useQuery({
    queryKey: stateKey,
    queryFn: ({ signal }) => get<Restorable>('/restore-rows', {}, signal),
    refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? pollMs : false),
    staleTime: 0,
  })
  const prepare = useAction((to: string) => post('/restore-rows', { to }), {
    refresh: [stateKey],
    onDone: () => {
      isOwn.current = true
    },
  })
  const drop = useAction(() => remove('/restore-rows'), { failed: 'The copy was not removed', refresh: [restoreKey] })
  const close = () => {
    // Deletes the copy only if this operator has created it. Another operator's copy is kept.
    if (isOwn.current && restorable.data?.copy) drop.mutate()
    onClose()
  }
  return (
    <Dialog title={title} onClose={close} className="sm:w-[min(60rem,calc(100vw-2rem))]">
      <Result query={restorable} what="the backup">
        {(data) => {
          if (!data.enabled) return <NoBackup />
          if (data.problem) return <Empty title={`This server cannot restore ${what}.`}>{data.problem}</Empty>
          if (data.copy?.state === 'ready') {
            return children({ moment: data.copy.moment, isLeaving: drop.isPending, onOther: () => drop.mutate() })
          }
          if (data.copy?.state === 'preparing') {
            return <Preparing copy={data.copy} isLeaving={drop.isPending} onCancel={() => drop.mutate()} />
          }
          return (
            <>
              {data.copy && <Refused error={new Error(data.copy.message)} />}
              {prepare.isError && <Refused error={prepare.error} />}
              <Moment data={data} what={what} how={how} isPending={prepare.isPending} onPrepare={(to) => prepare.mutate(to)} />
            </>
          )
        }}
      </Result>
    </Dialog>
  )
}

function isInProgress(data: Restorable) {
  return data.copy?.state === 'preparing' || (data.enabled && !data.problem && !limits(data))
}

interface MomentProps {
  data: Restorable
  what: string
  how: string
  isPending: boolean
  onPrepare: (to: string) => void
}

function Moment({ data, what, how, isPending, onPrepare }: MomentProps) {
  const [typed, setTyped] = useState<string>()
  const range = limits(data)
  if (!range) return <Empty title="The first base backup is not complete yet." />
  const { min, max, value } = range
  const moment = typed ?? value
  return (
    <form
      className="grid justify-items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onPrepare(new Date(moment).toISOString())
      }}
    >
      <p>
        The server restores the database of that moment into a temporary copy beside the project. The project does not change.
        Then you see which {what} were deleted or {how} since.
      </p>
      <TextField
        label={`Moment before the ${what} were deleted or ${how}`}
        type="datetime-local"
        step={1}
        min={min}
        max={max}
        required
        value={moment}
        onChange={setTyped}
      />
      <Button type="submit" size="compact" disabled={isPending} aria-busy={isPending}>
        Prepare the copy
      </Button>
    </form>
  )
}

interface PreparingProps {
  copy: Extract<RowCopy, { state: 'preparing' }>
  isLeaving: boolean
  onCancel: () => void
}

function Preparing({ copy, isLeaving, onCancel }: PreparingProps) {
  return (
    <div className="grid justify-items-start gap-3">
      <p role="status">{stepText(copy)}.</p>
      <progress
        className="h-1.5 w-full"
        aria-label="Preparation of the copy"
        {...(copy.total > 1 && { value: Math.min(copy.done, copy.total), max: copy.total })}
      />
      <Button variant="outline" size="compact" disabled={isLeaving} onClick={onCancel}>
        Stop
      </Button>
    </div>
  )
}
