import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { CheckField, TextField } from '@/components/fields'
import { useReviewSql } from '@/components/ReviewSql'
import { createQueue } from './job-sql'

/** Form for a new pgmq queue. */
export function NewQueue({ onClose }: { onClose: () => void }) {
  const review = useReviewSql()
  const [name, setName] = useState('')
  const [isUnlogged, setUnlogged] = useState(false)
  return (
    <Dialog
      title="New queue"
      onClose={onClose}
      isDirty={name !== ''}
      className="sm:w-[min(32rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button
            size="compact"
            disabled={name.trim() === ''}
            onClick={() => review({ ...createQueue(name.trim(), isUnlogged), onDone: onClose })}
          >
            Show the SQL
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={47} autoComplete="off" spellCheck={false} />
      <CheckField
        label="Unlogged"
        hint="Faster, but the messages are lost if the database crashes, and are in no backup."
        checked={isUnlogged}
        onChange={setUnlogged}
      />
    </Dialog>
  )
}
