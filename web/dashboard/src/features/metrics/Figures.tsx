import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { TriangleAlert } from 'lucide-react'
import { formatAgo, formatCount, formatTime } from '@/lib/format'
import { requests } from '@/lib/metrics/charts'
import type { Metrics, Values } from '@/lib/metrics/contract'
import type { Range } from '@/lib/metrics/range'
import { formatAt } from '@/lib/metrics/time'
import { formatValue } from '@/lib/metrics/unit'

const words: Record<Range, string> = { '1h': 'in the last hour', '24h': 'in the last 24 hours', '7d': 'in the last 7 days' }

/** Key figures: latency, errors, number of requests and uptime. */
export function Figures({ data }: { data: Metrics }) {
  const asked = requests.series.reduce((sum, { name }) => sum + total(data.series[name], data.step), 0)
  const failures = data.series.errors_5xx
  const failed = total(failures, data.step)
  const lastFailure = failures?.findLastIndex((rate) => rate !== null && rate > 0) ?? -1
  const latency = data.series.latency_p95_ms ?? []
  const slowest = Math.max(...latency.map((value) => value ?? 0))
  const at = (index: number) => formatAt(data.times[index] ?? 0, data.range)
  return (
    <ul className="grid grid-cols-2 border-t-6 border-foreground lg:grid-cols-4">
      <Figure name={`Requests ${words[data.range]}`} value={formatCount(Math.round(asked))}>
        to the APIs and the web app
      </Figure>
      <Figure name="Failed (5xx)" value={formatCount(Math.round(failed))} isBad={lastFailure >= 0}>
        {lastFailure < 0 ? 'none' : <Link to="/logs?status=5xx">last at {at(lastFailure)}</Link>}
      </Figure>
      <Figure
        name="95 % answered within"
        value={formatValue(
          latency.findLast((value) => value !== null),
          'ms',
        )}
      >
        {slowest > 0 && `at the slowest ${formatValue(slowest, 'ms')}, ${at(latency.indexOf(slowest))}`}
      </Figure>
      <Figure name="Started" value={formatAgo(data.started_at)}>
        {formatTime(data.started_at)}
      </Figure>
    </ul>
  )
}

interface FigureProps {
  name: string
  value: string
  isBad?: boolean
  children: ReactNode
}

function Figure({ name, value, isBad = false, children }: FigureProps) {
  return (
    <li className="grid content-start border-r border-b bg-card px-4 py-2.5 max-lg:odd:border-l lg:first:border-l">
      <span className="text-small text-muted-foreground">{name}</span>
      <span
        className={`flex items-center gap-2 font-display text-[1.5rem] leading-tight font-bold max-sm:text-[1.1875rem] ${isBad ? 'text-destructive' : ''}`}
      >
        {isBad && <TriangleAlert aria-hidden className="size-5" />}
        {value}
      </span>
      <span className="text-floor text-muted-foreground">{children}</span>
    </li>
  )
}

/** Computes a total number from rates per second. */
const total = (rates: Values = [], step: number) => rates.reduce<number>((sum, rate) => sum + (rate ?? 0) * step, 0)
