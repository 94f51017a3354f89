import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { FormButtons, useFormChange, WhatWillRun } from '@/components/FormChange'
import { newSchema } from './table-sql'

/** Form for a new schema. Its SQL is shown before it runs. */
export function NewSchema({ onClose, onDone }: { onClose: () => void; onDone: (name: string) => void }) {
  const [name, setName] = useState('')
  const done = () => {
    onClose()
    onDone(name.trim())
  }
  const form = useFormChange(name.trim() === '' ? undefined : { ...newSchema(name.trim()), onDone: done })
  return (
    <Dialog
      title="New schema"
      description="No client reaches its tables until the schema is in the setting “Schemas of the API” and roles have grants on it."
      onClose={onClose}
      isDirty={name !== ''}
      className="sm:w-[min(34rem,calc(100vw-2rem))]"
      footer={
        <>
          <FormButtons form={form} />
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={63} autoComplete="off" spellCheck={false} />
      <WhatWillRun form={form} />
    </Dialog>
  )
}
