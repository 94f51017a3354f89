import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { CheckField, TextField } from '@/components/fields'
import { FormButtons, useFormChange, WhatWillRun } from '@/components/FormChange'
import { createQueue } from './job-sql'

/** Form for a new pgmq queue. */
export function NewQueue({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [isUnlogged, setUnlogged] = useState(false)
  const form = useFormChange(name.trim() === '' ? undefined : { ...createQueue(name.trim(), isUnlogged), onDone: onClose })
  return (
    <Dialog
      title="New queue"
      onClose={onClose}
      isDirty={name !== ''}
      className="sm:w-[min(32rem,calc(100vw-2rem))]"
      footer={
        <>
          <FormButtons form={form} />
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
      <WhatWillRun form={form} />
    </Dialog>
  )
}
