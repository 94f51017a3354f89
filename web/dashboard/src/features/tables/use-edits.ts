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

/** The SQL for changes, which the server generates. */
export const sqlOf = async (changes: readonly Change[], signal?: AbortSignal) =>
  (await post<{ sql: string }>('/rows/sql', { changes }, signal)).sql

/** Runs a change as another caller and rolls it back. A message says whether the caller may make the change. */
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

/** Unsaved edits of a table's rows: edit, undo, redo, show the SQL, save, or try as another caller. */
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
      // Edits made during the request are not saved yet.
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
    /** Applies one step, which is undone as a whole. */
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
