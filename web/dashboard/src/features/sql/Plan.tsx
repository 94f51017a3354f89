import { formatCount, formatDuration, formatRows } from '@/lib/format'
import { cn } from '@cloch/ui/lib/cn'
import type { PlanNode } from './model'

/** How many times an estimate may be off before the plan is suspect. */
const misjudged = 10

/** A plan as a tree: what each step costs of the whole, and the rows that were expected against those that came. */
export function Plan({ plan, planning, execution }: { plan: PlanNode; planning?: number; execution?: number }) {
  return (
    <div
      className="min-h-0 flex-1 overflow-auto rounded border bg-card p-3 text-small"
      tabIndex={0}
      role="region"
      aria-label="Plan"
    >
      {execution !== undefined && (
        <p className="pb-2 text-muted-foreground">
          Planned in {formatDuration(planning ?? 0)}, run in {formatDuration(execution)}
        </p>
      )}
      <ul>
        <Step node={plan} whole={plan['Total Cost']} />
      </ul>
    </div>
  )
}

function Step({ node, whole }: { node: PlanNode; whole: number }) {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + child['Total Cost'], 0)
  const own = Math.max(0, node['Total Cost'] - below)
  const part = whole === 0 ? 0 : Math.min(1, own / whole)
  const loops = node['Actual Loops'] ?? 1
  const actual = node['Actual Rows']
  const off =
    actual === undefined ? 1 : Math.max((actual + 1) / (node['Plan Rows'] + 1), (node['Plan Rows'] + 1) / (actual + 1))
  const condition = node['Index Cond'] ?? node.Filter
  return (
    <li className="border-l pl-3">
      <div className="grid gap-0.5 py-1.5">
        <p>
          <span className="font-bold">{node['Node Type']}</span> {node['Relation Name']}{' '}
          {node['Index Name'] && <code>{node['Index Name']}</code>}
        </p>
        {condition !== undefined && <code className="break-words text-muted-foreground">{condition}</code>}
        <p className="flex flex-wrap items-center gap-x-4 tabular-nums">
          <span>
            cost {own.toFixed(1)} of {whole.toFixed(1)}
          </span>
          <progress className="h-1.5 w-24" aria-label="Part of the whole cost" value={part} />
          <span className={cn(off >= misjudged && 'font-bold text-warning')}>
            {formatRows(node['Plan Rows'])} expected
            {actual !== undefined && `, ${formatCount(Math.round(actual))} came`}
            {loops > 1 && ` (${formatCount(loops)} times)`}
          </span>
          {node['Actual Total Time'] !== undefined && <span>{formatDuration(node['Actual Total Time'] * loops)}</span>}
          {(node['Rows Removed by Filter'] ?? 0) > 0 && (
            <span>{formatRows(node['Rows Removed by Filter'] ?? 0)} filtered out</span>
          )}
        </p>
      </div>
      {node.Plans && (
        <ul className="pl-3">
          {node.Plans.map((child, index) => (
            <Step key={index} node={child} whole={whole} />
          ))}
        </ul>
      )}
    </li>
  )
}
