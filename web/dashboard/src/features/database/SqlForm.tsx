import type { ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { FormButtons, FormNote, useFormChange, WhatWillRun } from '@/components/FormChange'
import type { SqlChange } from '@/components/ReviewSql'

interface SqlFormProps {
  title: string
  description?: ReactNode
  /** The change that the form describes. `undefined` while a required field is empty. */
  change: SqlChange | undefined
  /** A sentence about the required field that is still empty. */
  missing: string
  isDirty: boolean
  onClose: () => void
  children: ReactNode
}

/** A form that generates SQL. The SQL is shown below the fields. It can be opened and edited before it runs. */
export function SqlForm({ title, description, change, missing, isDirty, onClose, children }: SqlFormProps) {
  const form = useFormChange(change && { ...change, onDone: onClose })
  return (
    <Dialog
      title={title}
      description={description}
      place="side"
      className="w-[min(40rem,100vw)]"
      onClose={onClose}
      isDirty={isDirty}
      footer={
        <>
          <FormButtons form={form} />
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
          {!change && <span className="text-floor text-muted-foreground">{missing}</span>}
          <FormNote form={form} />
        </>
      }
    >
      {children}
      <WhatWillRun form={form} />
    </Dialog>
  )
}
