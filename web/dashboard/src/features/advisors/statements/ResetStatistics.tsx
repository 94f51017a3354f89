import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Confirm } from '@/components/Confirm'
import { remove } from '@/lib/api'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { statementsKey } from './contract'

/** Resets the statistics. Used after a change, so that only new measurements count. Only owners may do this. */
export function ResetStatistics() {
  const isOwner = useMay('owner')
  const [isAsking, setAsking] = useState(false)
  const close = () => setAsking(false)
  const reset = useAction(() => remove('/statements'), {
    done: 'The statistics begin anew',
    failed: 'The statistics were not reset',
    refresh: [statementsKey],
    onDone: close,
  })
  if (!isOwner) return null
  return (
    <>
      <Button variant="outline" size="compact" onClick={() => setAsking(true)}>
        <RotateCcw aria-hidden />
        Reset
      </Button>
      {isAsking && (
        <Confirm
          title="Reset the statistics of statements?"
          confirm="Reset"
          isPending={reset.isPending}
          onConfirm={() => reset.mutate()}
          onClose={close}
        >
          Calls and times of all statements of this database are deleted, also for other programs that read pg_stat_statements.
          The audit records the reset.
        </Confirm>
      )}
    </>
  )
}
