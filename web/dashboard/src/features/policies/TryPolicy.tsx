import { useMutation } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { DataTable } from '@/components/DataTable'
import { Empty, Failed } from '@/components/states'
import { post } from '@/lib/api'
import type { As } from '@/lib/as'
import type { PolicyTable } from './contract'
import { hasCheck, hasUsing, type Draft } from './policy-sql'
import { outcome, type Tried } from './trial'

/** Number of rows on which a policy is tested. */
const limit = 50

/** Tests the draft of a policy on existing rows, with the rights of a chosen caller. Nothing is changed. */
export function TryPolicy({ table, draft }: { table: PolicyTable; draft: Draft }) {
  const [as, setAs] = useState<As>({ role: 'anon' })
  const trial = useMutation({
    mutationFn: () =>
      post<{ rows: Tried[] }>('/policies/try', {
        schema: table.schema,
        table: table.name,
        command: draft.command,
        ...(hasUsing(draft.command) && draft.using.trim() !== '' ? { using: draft.using } : {}),
        ...(hasCheck(draft.command) && draft.check.trim() !== '' ? { check: draft.check } : {}),
        as,
        limit,
      }),
  })
  const isReady = !('user' in as && as.user === '')
  return (
    <section className="grid gap-3 border-t-3 border-foreground pt-3">
      <h3>Try it before you save it</h3>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-56 flex-1">
          <AsPicker value={as} onChange={setAs} roles={['anon', 'service_role']} label="As" />
        </div>
        <Button variant="outline" size="compact" disabled={!isReady || trial.isPending} onClick={() => trial.mutate()}>
          <FlaskConical aria-hidden />
          Try on {limit} rows
        </Button>
      </div>
      {trial.isError && <Failed error={trial.error} />}
      {trial.data && <Outcome rows={trial.data.rows} />}
    </section>
  )
}

function Outcome({ rows }: { rows: Tried[] }) {
  if (rows.length === 0) return <Empty title="The table has no rows to try it on." />
  const { isError, text } = outcome(rows)
  return (
    <div role={isError ? 'alert' : 'status'} className="grid gap-2">
      <p className={isError ? 'border-l-6 border-destructive bg-destructive-wash p-3 text-destructive' : undefined}>{text}</p>
      <DataTable
        label="Rows and what the policy says of each"
        rows={rows.map((row, index) => ({ ...row, index }))}
        rowKey={({ index }) => index}
        columns={[
          { name: 'using', cell: ({ using, error }) => error ?? truth(using) },
          { name: 'with check', cell: ({ check }) => truth(check) },
          { name: 'Row', cell: ({ row }) => <code className="line-clamp-2">{JSON.stringify(row)}</code> },
        ]}
      />
    </div>
  )
}

function truth(value: boolean | null | undefined): string {
  if (value === undefined) return '–'
  return value === null ? 'unknown (counts as no)' : value ? 'holds' : 'does not hold'
}
