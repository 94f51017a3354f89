import { Hourglass } from 'lucide-react'
import { formatCount, formatDuration, formatRows } from '@/lib/format'
import { cn } from '@cloch/ui/lib/cn'
import { adviceOf, detailsOf, heaviest, shareOf, type PlanNode } from './plan'

/** If the numbers of estimated and actual rows differ by at least this factor, the estimate is marked as wrong. */
const misjudged = 10

/** A query plan as a tree. For each step, shows its share of the total time or cost, and the expected and actual numbers of rows. */
export function Plan({ plan, planning, execution }: { plan: PlanNode; planning?: number; execution?: number }) {
  const heavy = heaviest(plan)
  return (
    <div
      className="min-h-0 flex-1 overflow-auto rounded border bg-card p-3 text-small"
      tabIndex={0}
      role="region"
      aria-label="Plan"
    >
      <p className="pb-2 text-muted-foreground">
        {execution === undefined
          ? 'Estimated: the statement has not run. Cost is in units of the planner.'
          : `Planned in ${formatDuration(planning ?? 0)}, run in ${formatDuration(execution)}.`}
      </p>
      <ul>
        <Step node={plan} whole={plan} heavy={heavy} />
      </ul>
    </div>
  )
}

interface StepProps {
  node: PlanNode
  whole: PlanNode
  heavy: PlanNode | undefined
}

function Step({ node, whole, heavy }: StepProps) {
  const hasRun = node['Actual Total Time'] !== undefined
  const { own, part } = shareOf(node, whole)
  const isHeavy = node === heavy
  const advice = adviceOf(node)
  return (
    <li className="border-l pl-3">
      <div className={cn('my-1 grid gap-0.5 px-2 py-1', isHeavy && 'rounded border-l-6 border-warning bg-warning-wash')}>
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-bold">
            {node['Join Type'] && node['Join Type'] !== 'Inner' && `${node['Join Type']} `}
            {node['Node Type']}
          </span>
          {node['Relation Name']}
          {node['Index Name'] && <code>{node['Index Name']}</code>}
          {isHeavy && (
            <span className="flex items-center gap-1 font-strong text-warning">
              <Hourglass aria-hidden />
              {hasRun ? 'Slowest step' : 'Most expensive step'}
            </span>
          )}
        </p>
        {detailsOf(node).map((detail) => (
          <code key={detail} className={cn('break-words', !isHeavy && 'text-muted-foreground')}>
            {detail}
          </code>
        ))}
        <p className="flex flex-wrap items-center gap-x-4 tabular-nums">
          <span>
            {hasRun ? `${formatDuration(own)} here` : `cost ${own.toFixed(1)} here`}, {Math.round(part * 100)} %
          </span>
          <progress className="h-1.5 w-24" aria-label="Part of the whole" value={part} />
          <Rows node={node} />
          <span>cost {node['Total Cost'].toFixed(1)} with all below</span>
        </p>
        {advice !== undefined && <p className="font-strong">{advice}</p>}
      </div>
      {node.Plans && (
        <ul className="pl-3">
          {node.Plans.map((child, index) => (
            <Step key={index} node={child} whole={whole} heavy={heavy} />
          ))}
        </ul>
      )}
    </li>
  )
}

function Rows({ node }: { node: PlanNode }) {
  const { 'Actual Rows': actual, 'Actual Loops': loops = 1, 'Plan Rows': planned } = node
  const off = actual === undefined ? 1 : Math.max((actual + 1) / (planned + 1), (planned + 1) / (actual + 1))
  const removed = node['Rows Removed by Filter'] ?? 0
  return (
    <>
      <span className={cn(off >= misjudged && 'font-bold text-warning')}>
        {formatRows(planned)} expected
        {actual !== undefined && `, ${formatCount(Math.round(actual))} came`}
        {loops > 1 && ` (${formatCount(loops)} times)`}
      </span>
      {removed > 0 && <span>{formatRows(removed)} filtered out</span>}
    </>
  )
}
