import { useMemo, useState } from 'react'
import { useReviewSql, useRunSql, type SqlChange } from '@/components/ReviewSql'
import { post } from '@/lib/api'
import { describeAs, type As } from '@/lib/as'
import { notifyError, notifySuccess } from '@/lib/notify'
import type { TableDetail } from '@/lib/schema'
import { toChanges, type Change, type Edit } from './edits'
import { noSteps, redo, saved, step, undo } from './steps'

interface RunAnswer {
  results: unknown[]
  error: { message: string; detail?: string | null; hint?: string | null } | null
}

/** Requests the SQL for changes. The server generates it. */
export const sqlOf = async (changes: readonly Change[], signal?: AbortSignal) =>
  (await post<{ sql: string }>('/rows/sql', { changes }, signal)).sql

/** Runs changes with the rights of another caller, then rolls them back. A message says whether the caller may make these changes. */
export async function tryAs(as: As, changes: Change[]) {
  try {
    const sql = await sqlOf(changes)
    const { error } = await post<RunAnswer>('/sql/run', { sql, as, read_only: false, rollback: true, expect_rows: 1 })
    const who = describeAs(as)
    if (error) notifyError(`${who} may not do this`, new Error([error.message, error.detail].filter(Boolean).join(' ')))
    else notifySuccess(`${who} may do this`, 'It was tested and rolled back. Nothing changed.')
  } catch (error) {
    notifyError('It could not be tried', error)
  }
}

/** The unsaved edits of a table's rows. They can be made, undone, redone, shown as SQL, saved, or tried with the rights of another caller. */
export function useEdits(table: TableDetail, as: As | null, onSaved: () => void) {
  const [steps, setSteps] = useState(noSteps)
  const edits = useMemo(() => steps.done.flat(), [steps])
  const review = useReviewSql()
  const run = useRunSql()
  const changes = toChanges(table.schema, table.name, edits)
  const change = async (): Promise<SqlChange> => ({
    title: `Change ${changes.length === 1 ? 'one row' : `${changes.length} rows`} of ${table.name}`,
    sql: await sqlOf(changes),
    expectRows: 1,
    done: changes.length === 1 ? 'The row is changed' : 'The rows are changed',
    onDone: () => {
      // The user may have made further edits during the request. These are not saved yet.
      setSteps((now) => saved(now, edits))
      onSaved()
    },
  })
  const show = async () => {
    try {
      review(await change())
    } catch (error) {
      notifyError('The changes have no SQL', error)
    }
  }
  const save = () => {
    if (as === null) run.mutate(change)
    else void tryAs(as, changes)
  }
  return {
    edits,
    changes,
    /** Applies edits as one step, so that they are undone together. */
    edit: (made: readonly Edit[]) => setSteps((before) => step(before, made)),
    undo: () => {
      run.reset()
      setSteps(undo)
    },
    redo: () => setSteps(redo),
    canRedo: steps.undone.length > 0,
    save,
    show: () => void show(),
    isSaving: run.isPending,
    error: run.error,
  }
}
