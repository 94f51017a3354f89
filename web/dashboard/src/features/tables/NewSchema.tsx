import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { useReviewSql } from '@/components/ReviewSql'
import { newSchema } from './table-sql'

/** Form for a new schema. Its SQL is shown before it runs. */
export function NewSchema({ onClose, onDone }: { onClose: () => void; onDone: (name: string) => void }) {
  const review = useReviewSql()
  const [name, setName] = useState('')
  const change = name.trim() === '' ? undefined : newSchema(name.trim())
  const show = () =>
    change &&
    review({
      ...change,
      onDone: () => {
        onClose()
        onDone(name.trim())
      },
    })
  return (
    <Dialog
      title="New schema"
      description="No client reaches its tables until the schema is in the setting “Schemas of the API” and roles have grants on it."
      onClose={onClose}
      isDirty={name !== ''}
      className="sm:w-[min(34rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button size="compact" disabled={!change} onClick={show}>
            Show the SQL
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={63} autoComplete="off" spellCheck={false} />
      {change && <Code label="What will run" text={change.sql} />}
    </Dialog>
  )
}
