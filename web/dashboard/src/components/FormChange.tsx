import { Button } from '@cloch/ui/components/button'
import { Code } from './Copy'
import { KeepAsMigration, KeptNote, runLabel, useKeeping, type Keeping } from './KeepAsMigration'
import { useReviewSql, useRunSql, type SqlChange } from './ReviewSql'
import { Refused } from './states'

interface FormChange {
  change: SqlChange | undefined
  keeping: Keeping
  run: ReturnType<typeof useRunSql>
}

/**
 * The change that a form describes. The form shows its SQL with `WhatWillRun`, so its button runs the change without another dialog.
 * @param change `undefined` while a required field is empty
 */
export function useFormChange(change: SqlChange | undefined): FormChange {
  const keeping = useKeeping(change?.migration)
  return { change, keeping, run: useRunSql(keeping.migration) }
}

/** Buttons of a form: one runs the change, the other opens its SQL, where it can be edited. */
export function FormButtons({ form: { change, keeping, run } }: { form: FormChange }) {
  const review = useReviewSql()
  const show = (made: SqlChange) =>
    review(keeping.isOffered ? { ...made, migration: keeping.name, isKept: keeping.isKept } : made)
  return (
    <>
      {run.isError && <Refused error={run.error} className="basis-full" />}
      <Button
        size="compact"
        disabled={!change || !keeping.isReady || run.isPending}
        aria-busy={run.isPending}
        onClick={() => change && run.mutate(() => change)}
      >
        {runLabel(keeping)}
      </Button>
      <Button variant="outline" size="compact" disabled={!change} onClick={() => change && show(change)}>
        Show the SQL
      </Button>
    </>
  )
}

/** The SQL of the form's change, and the choice whether it is stored as a migration. */
export function WhatWillRun({ form: { change, keeping } }: { form: FormChange }) {
  if (!change) return null
  return (
    <>
      <Code label="What will run" text={change.sql} />
      <KeepAsMigration keeping={keeping} />
    </>
  )
}

/** States beside the buttons in which migration the change is stored. */
export const FormNote = ({ form: { change, keeping } }: { form: FormChange }) => change && <KeptNote keeping={keeping} />
