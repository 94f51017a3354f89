import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { SelectField } from '@/components/fields'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatCount, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { keyOf, orderOf, orders, statementsKey, type StatementList } from './contract'
import { ResetStatistics } from './ResetStatistics'
import { StatementPanel } from './StatementPanel'
import { StatementTable } from './StatementTable'

/** The statements that take the most time. The texts of the statements may contain personal data, so viewers cannot read them. */
export function SlowStatements() {
  const isDeveloper = useMay('developer')
  if (isDeveloper) return <Statements />
  return <Empty title="Slow statements are for developers">Their texts can contain values of the project.</Empty>
}

/** The list of statements. The URL contains the sort order and the open statement. */
function Statements() {
  const [search, setSearch] = useAddressQuery()
  const order = orderOf(search)
  const open = search.get('statement')
  const statements = useQuery({
    queryKey: [...statementsKey, 'list', order],
    queryFn: ({ signal }) => get<StatementList>('/statements', { order }, signal),
    placeholderData: keepPreviousData,
  })
  const set = (name: 'order' | 'statement', value: string | undefined) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: name === 'order' },
    )
  const close = () => set('statement', undefined)
  return (
    <Result query={statements} what="the statements">
      {(list) => {
        if (!list.available) return <Empty title={list.message ?? 'There are no statistics of statements.'}>{list.hint}</Empty>
        const shown = list.statements.find((statement) => keyOf(statement) === open)
        return (
          <div className="grid gap-5">
            <div className="flex flex-wrap items-end justify-between gap-3">
              <SelectField label="Order" className="w-48" value={order} onChange={(value) => set('order', value)}>
                {Object.entries(orders).map(([name, label]) => (
                  <option key={name} value={name}>
                    {label}
                  </option>
                ))}
              </SelectField>
              <ResetStatistics />
            </div>
            <p className="max-w-[46em] text-muted-foreground">{describe(list)}</p>
            {list.statements.length === 0 ? (
              <Empty title="No statement of the project has run yet." />
            ) : (
              <StatementTable
                statements={list.statements}
                open={open}
                onOpen={(statement) => set('statement', keyOf(statement))}
              />
            )}
            {shown && <StatementPanel statement={shown} onClose={close} />}
          </div>
        )
      }}
    </Result>
  )
}

function describe({ statements, count = statements.length, hidden = 0, since }: StatementList): string {
  const first = count > statements.length ? `The first ${statements.length} of ${formatCount(count)} statements` : 'Statements'
  const sentences = [
    `${first} of the project${since ? `, counted since ${formatTime(since)}` : ''}. PostgreSQL replaces constants by parameters ($1).`,
    ...(hidden > 0
      ? [`${formatCount(hidden)} more are hidden: the project’s owner is no member of pg_read_all_stats on this server.`]
      : []),
  ]
  return sentences.join(' ')
}
