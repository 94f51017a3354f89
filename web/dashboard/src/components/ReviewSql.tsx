import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { runSql, type Kept, type NewMigration } from '@/lib/run-sql'
import { useAction } from '@/lib/use-action'
import { Dialog } from './Dialog'
import { AreaField } from './fields'
import { KeepAsMigration, runLabel, useKeeping } from './KeepAsMigration'
import { RecordedMigration } from './RecordedMigration'
import { Refused } from './states'

/** A change that the user made in the dashboard, with the SQL that performs it. */
export interface SqlChange {
  /** Title of the dialog. It describes the change. */
  title: string
  sql: string
  /**
   * Name of the migration file, without time and extension, such as `add_policy_notes_own`. `undefined` for changes of data, which cannot be stored
   * as a migration.
   */
  migration?: string
  /** Initial choice whether the change is stored as a migration, in place of the project's default. */
  isKept?: boolean
  /**
   * Number of rows that each statement must change. If another number is changed, the transaction is rolled back. For example, a change of one row
   * must not change zero or two rows.
   */
  expectRows?: number
  /** Timeout of a statement in seconds. Set if the server's default (30) is too short. */
  seconds?: number
  /** Whether the statement cannot run in a transaction, such as `create index concurrently`. */
  isAlone?: boolean
  /** Message after the change has run. */
  done?: string
  onDone?: () => void
}

interface Reviewing {
  review: (change: SqlChange) => void
  /** Shows the file of a migration that the server could not write. */
  showFile: (file: { file: string; sql: string }) => void
}

const Review = createContext<Reviewing | undefined>(undefined)

function useReviewing(): Reviewing {
  const reviewing = useContext(Review)
  if (!reviewing) throw new Error('no ReviewSqlProvider above')
  return reviewing
}

/** Opens the dialog that shows a change's SQL before it runs. */
export const useReviewSql = () => useReviewing().review

export function ReviewSqlProvider({ children }: { children: ReactNode }) {
  const [change, setChange] = useState<SqlChange>()
  const [recorded, setRecorded] = useState<{ file: string; sql: string }>()
  const close = useCallback(() => setChange(undefined), [])
  const reviewing = useMemo(() => ({ review: setChange, showFile: setRecorded }), [])
  return (
    <Review value={reviewing}>
      {children}
      {change && <ReviewDialog key={change.sql} change={change} onClose={close} />}
      {recorded && <RecordedMigration {...recorded} onClose={() => setRecorded(undefined)} />}
    </Review>
  )
}

const said = (done: string | undefined, kept: Kept | undefined) => {
  if (kept === undefined) return done ?? 'Done'
  return `${done ?? 'Done'}, and ${kept.isWritten ? 'kept' : 'recorded'} as ${kept.file}`
}

/**
 * Returns a mutation that runs a change at once, without the review dialog. It is for forms that already show the SQL, or have a button that shows
 * it. The calling component shows the error. The mutation's input is a function that makes the change, because the server has to generate the SQL for
 * changed rows first.
 */
export function useRunSql(migration?: NewMigration) {
  const { showFile } = useReviewing()
  return useAction(
    async (make: () => SqlChange | Promise<SqlChange>) => {
      const change = await make()
      const kept = await runSql(change.sql, { ...change, migration })
      return { change, kept }
    },
    {
      done: ({ change, kept }) => said(change.done, kept),
      refresh: [[]],
      onDone: ({ change, kept }) => {
        change.onDone?.()
        if (kept?.isWritten === false) showFile({ file: kept.file, sql: change.sql })
      },
    },
  )
}

function ReviewDialog({ change, onClose }: { change: SqlChange; onClose: () => void }) {
  const { showFile } = useReviewing()
  const [sql, setSql] = useState(change.sql)
  const keeping = useKeeping(change.migration, change.isKept)
  const action = useAction(() => runSql(sql, { ...change, migration: keeping.migration }), {
    done: (kept) => said(change.done, kept),
    refresh: [[]],
    onDone: (kept) => {
      onClose()
      change.onDone?.()
      if (kept?.isWritten === false) showFile({ file: kept.file, sql })
    },
  })
  const footer = (
    <>
      <Button
        size="compact"
        disabled={action.isPending || sql.trim() === '' || !keeping.isReady}
        aria-busy={action.isPending}
        onClick={() => action.mutate()}
      >
        {runLabel(keeping)}
      </Button>
      <Button variant="outline" size="compact" onClick={onClose}>
        Cancel
      </Button>
    </>
  )
  return (
    <Dialog
      title={change.title}
      description="This is what will run, as the project’s owner. You can change it first."
      onClose={onClose}
      footer={footer}
      isDirty
    >
      <AreaField
        label="SQL"
        value={sql}
        onChange={setSql}
        rows={Math.min(18, Math.max(4, sql.split('\n').length + 1))}
        controlClassName="font-mono whitespace-pre"
        spellCheck={false}
      />
      <KeepAsMigration keeping={keeping} />
      {action.isError && <Refused error={action.error} />}
    </Dialog>
  )
}
