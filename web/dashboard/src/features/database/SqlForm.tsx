import type { ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { useReviewSql, type SqlChange } from '@/components/ReviewSql'

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

/** A form that generates SQL. The SQL is shown below the fields. Before it runs, it is shown again and can be edited. */
export function SqlForm({ title, description, change, missing, isDirty, onClose, children }: SqlFormProps) {
  const review = useReviewSql()
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
          <Button size="compact" disabled={!change} onClick={() => change && review({ ...change, onDone: onClose })}>
            Show the SQL
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
          {!change && <span className="text-floor text-muted-foreground">{missing}</span>}
        </>
      }
    >
      {children}
      {change && <Code label="What will run" text={change.sql} />}
    </Dialog>
  )
}
