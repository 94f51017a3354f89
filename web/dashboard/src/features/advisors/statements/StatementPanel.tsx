import { useQuery } from '@tanstack/react-query'
import { SquareTerminal } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { Facts } from '@/components/Facts'
import { Plan } from '@/components/plan/Plan'
import { Empty, Result } from '@/components/states'
import { get, path } from '@/lib/api'
import { formatCount, formatDuration } from '@/lib/format'
import { useOpenInSql } from '@/lib/open-in-sql'
import { statementsKey, type IndexHint, type Statement, type StatementPlan } from './contract'
import { formatShare } from './StatementTable'

/** Side panel for one statement: text and figures, plan, and an index that would help. */
export function StatementPanel({ statement, onClose }: { statement: Statement; onClose: () => void }) {
  const { id, role_oid, text } = statement
  const openInSql = useOpenInSql()
  const plan = useQuery({
    queryKey: [...statementsKey, 'plan', id, role_oid],
    // Read again each time the panel opens, because a suggested index may have been created meanwhile.
    staleTime: 0,
    queryFn: ({ signal }) => get<StatementPlan>(path`/statements/${id}/plan`, { role: role_oid }, signal),
  })
  return (
    <Dialog title="Statement" place="side" className="w-[min(48rem,100vw)]" onClose={onClose}>
      <Code text={text} label="Text of the statement" />
      <Facts facts={figures(statement)} />
      <Result query={plan} what="the plan">
        {(data) => (
          <>
            {data.hints.map((hint) => (
              <Hint key={hint.sql} hint={hint} onOpen={() => openInSql(hint.sql)} />
            ))}
            <section className="grid gap-2">
              <h3 className="text-h3">Plan</h3>
              {data.plan ? (
                <>
                  <p className="text-small text-muted-foreground">
                    For any values of the parameters, planned as{' '}
                    {data.planned_as ?? 'the login that only reads, without policies'}.
                  </p>
                  <Plan plan={data.plan} />
                </>
              ) : (
                <Empty title={data.reason?.message ?? 'PostgreSQL made no plan.'}>{data.reason?.hint}</Empty>
              )}
            </section>
          </>
        )}
      </Result>
    </Dialog>
  )
}

const figures = ({ role, calls, total_ms, share, mean_ms, max_ms, rows, hit_ratio }: Statement) =>
  [
    ['Role', <code key="role">{role}</code>],
    ['Calls', formatCount(calls)],
    ['Total time', `${formatDuration(total_ms)}, ${formatShare(share)} of all statements`],
    ['Time of a call', `${formatDuration(mean_ms)} in the mean, ${formatDuration(max_ms)} at most`],
    ['Rows', `${formatCount(rows)}, ${formatCount(Math.round(rows / Math.max(calls, 1)))} for a call`],
    ['Read from memory', hit_ratio === null ? 'nothing was read' : `${formatShare(hit_ratio)} of the blocks`],
  ] as const

const sources = {
  'pg_class.reltuples': 'the estimate of the last analyze',
  'pg_stat_all_tables.n_live_tup': 'because the table was not analyzed yet',
}

function Hint({ hint, onOpen }: { hint: IndexHint; onOpen: () => void }) {
  return (
    <section className="grid gap-2 border-l-6 border-warning bg-warning-wash p-3">
      <h3 className="text-h3">An index may help</h3>
      <p>
        {hint.reason} The number of rows is from <code>{hint.rows_from}</code>, {sources[hint.rows_from]}. Every index takes
        disk space, and time for writes.
      </p>
      <Code text={hint.sql} label="Statement of the index" />
      <Button size="compact" className="justify-self-start" onClick={onOpen}>
        <SquareTerminal aria-hidden />
        Open in SQL
      </Button>
    </section>
  )
}
