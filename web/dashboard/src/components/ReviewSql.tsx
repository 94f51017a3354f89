import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { post } from '@/lib/api'
import { sentence } from '@/lib/notify'
import { useAction } from '@/lib/use-action'
import { Dialog } from './Dialog'
import { AreaField, CheckField, TextField } from './fields'
import { Refused } from './states'

/** A change that was made by clicking, as the SQL that does it. */
export interface SqlChange {
  /** What it does: the dialog's title. */
  title: string
  sql: string
  /** The name of its migration file, without time and ending: `add_policy_notes_own`. None: data, which belongs to no migration. */
  migration?: string
  /** Whether it is kept as a migration unless that is unticked. */
  isKept?: boolean
  /** Rows that every statement must touch: a change of one row that touches none or two is taken back. */
  expectRows?: number
  /** Timeout of a statement in seconds, if the server's default (30) is too short. */
  seconds?: number
  /** What is said when it has run. */
  done?: string
  onDone?: () => void
}

interface RunAnswer {
  error?: { message: string; detail?: string; hint?: string } | null
}

const Review = createContext<((change: SqlChange) => void) | undefined>(undefined)

/** Opens the dialog that shows a change's SQL before it runs. */
export function useReviewSql(): (change: SqlChange) => void {
  const review = useContext(Review)
  if (!review) throw new Error('no ReviewSqlProvider above')
  return review
}

export function ReviewSqlProvider({ children }: { children: ReactNode }) {
  const [change, setChange] = useState<SqlChange>()
  const close = useCallback(() => setChange(undefined), [])
  return (
    <Review value={setChange}>
      {children}
      {change && <ReviewDialog key={change.sql} change={change} onClose={close} />}
    </Review>
  )
}

/** Runs the statements as the project's owner, or keeps them as a migration, which runs them as well. @throws what PostgreSQL says */
async function run(
  sql: string,
  migration: string | undefined,
  { expectRows, seconds }: SqlChange,
): Promise<string | undefined> {
  if (migration !== undefined)
    return (await post<{ file: string }>('/sql/migrations', { name: migration, sql, apply: true })).file
  const { error } = await post<RunAnswer>('/sql/run', {
    sql,
    as: { role: 'postgres' },
    read_only: false,
    ...(expectRows === undefined ? {} : { expect_rows: expectRows }),
    ...(seconds === undefined ? {} : { timeout_seconds: seconds }),
  })
  if (error)
    throw new Error([error.message, error.detail, error.hint].flatMap((text) => (text ? [sentence(text)] : [])).join(' '))
  return undefined
}

/**
 * Runs a change at once, where its SQL is in sight or one press away. Its error is drawn by whoever asks.
 * The input makes the change: the SQL of rows is made by the server.
 */
export function useRunSql() {
  return useAction(
    async (make: () => SqlChange | Promise<SqlChange>) => {
      const change = await make()
      await run(change.sql, undefined, change)
      return change
    },
    { done: ({ done }) => done ?? 'Done', refresh: [[]], onDone: ({ onDone }) => onDone?.() },
  )
}

function ReviewDialog({ change, onClose }: { change: SqlChange; onClose: () => void }) {
  const [sql, setSql] = useState(change.sql)
  const [isKept, setKept] = useState(change.isKept ?? false)
  const [name, setName] = useState(change.migration ?? '')
  const isNamed = useMemo(() => /^[a-z0-9][a-z0-9_]{0,79}$/.test(name), [name])
  const action = useAction(() => run(sql, isKept ? name : undefined, change), {
    done: (file) => (file === undefined ? (change.done ?? 'Done') : `Done, and kept as ${file}`),
    refresh: [[]],
    onDone: () => {
      onClose()
      change.onDone?.()
    },
  })
  const footer = (
    <>
      <Button
        size="compact"
        disabled={action.isPending || sql.trim() === '' || (isKept && !isNamed)}
        aria-busy={action.isPending}
        onClick={() => action.mutate()}
      >
        {isKept ? 'Run and keep' : 'Run'}
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
      {change.migration !== undefined && (
        <div className="grid gap-2">
          <CheckField
            label="Keep as a migration file"
            hint="The file goes into the project’s folder and is recorded as applied."
            checked={isKept}
            onChange={setKept}
          />
          {isKept && (
            <TextField
              label="Name of the migration"
              hint="Small letters, digits and _"
              value={name}
              onChange={setName}
              error={isNamed ? undefined : 'Use small letters, digits and _, 80 at most.'}
              controlClassName="font-mono"
            />
          )}
        </div>
      )}
      {action.isError && <Refused error={action.error} />}
    </Dialog>
  )
}
