import { useState } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { SelectField } from '@/components/fields'
import { axisOf, mostRows, pointsOf, type Chartable, type Point } from './chart-data'
import type { StatementResult } from './model'

/** Bar or line chart of two columns. Names and numbers are also shown as text, so that nobody depends on colours and lengths alone. */
export function Chart({ result, columns }: { result: StatementResult; columns: Chartable }) {
  const [kind, setKind] = useState<'bars' | 'line'>(columns.isLine ? 'line' : 'bars')
  const [label, setLabel] = useState(columns.label)
  const [value, setValue] = useState(columns.value)
  const points = pointsOf(result, label, value)
  const named = (index: number) => result.columns[index]?.name ?? ''
  const option = (index: number) => (
    <option key={index} value={index}>
      {named(index)}
    </option>
  )
  return (
    <div
      className="grid min-h-0 flex-1 content-start gap-3 overflow-auto rounded border bg-card p-3"
      tabIndex={0}
      role="region"
      aria-label="Chart"
    >
      <div className="flex flex-wrap gap-3">
        <SelectField label="Kind" className="w-32" value={kind} onChange={(next) => setKind(next === 'line' ? 'line' : 'bars')}>
          <option value="bars">Bars</option>
          <option value="line">Line</option>
        </SelectField>
        <SelectField label="X" className="w-44" value={String(label)} onChange={(next) => setLabel(Number(next))}>
          {columns.labels.map(option)}
        </SelectField>
        <SelectField label="Y" className="w-44" value={String(value)} onChange={(next) => setValue(Number(next))}>
          {columns.values.map(option)}
        </SelectField>
      </div>
      {points.length === 0 ? (
        <p className="text-muted-foreground">No row has a number in {named(value)}.</p>
      ) : kind === 'line' ? (
        <Line points={points} name={`${named(value)} by ${named(label)}`} />
      ) : (
        <Bars points={points} />
      )}
      {(result.rows.length > mostRows || result.more) && (
        <p className="text-small text-muted-foreground">The first {Math.min(mostRows, result.rows.length)} rows are drawn.</p>
      )}
    </div>
  )
}

function Bars({ points }: { points: readonly Point[] }) {
  const largest = Math.max(...points.map(({ value }) => Math.abs(value)), Number.MIN_VALUE)
  return (
    <ul className="grid gap-1 text-small">
      {points.map(({ label, text, value }, index) => (
        <li key={index} className="grid grid-cols-[minmax(0,10rem)_minmax(0,1fr)_auto] items-center gap-2">
          <span className="truncate">{label}</span>
          <span className="h-4 bg-muted">
            <span
              className={cn('block h-full', value < 0 ? 'bg-destructive' : 'bg-primary')}
              style={{ width: `${(Math.abs(value) / largest) * 100}%` }}
            />
          </span>
          <span className="tabular-nums">{text}</span>
        </li>
      ))}
    </ul>
  )
}

/** Size of the line's viewBox. It is stretched to the available space; the width of the strokes does not change. */
const [width, height] = [1000, 100]

function Line({ points, name }: { points: readonly Point[]; name: string }) {
  const { low, high } = axisOf(points)
  const x = (index: number) => (points.length === 1 ? width / 2 : (index / (points.length - 1)) * width)
  const y = (value: number) => height - ((value - low) / (high - low)) * height
  const path = points.map(({ value }, index) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('L')
  const [first, last] = [points[0], points.at(-1)]
  const peak = points.reduce(
    (found, point) => (point.value > found.value ? point : found),
    points[0] ?? { label: '', text: '', value: 0 },
  )
  return (
    <figure className="grid gap-1 text-floor text-muted-foreground">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div aria-hidden className="flex flex-col justify-between text-right leading-none tabular-nums">
          <span>{high.toLocaleString('en-GB')}</span>
          <span>{low.toLocaleString('en-GB')}</span>
        </div>
        <svg
          role="img"
          aria-label={name}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          className="block h-48 w-full overflow-visible [&_path]:[vector-effect:non-scaling-stroke]"
        >
          <path d={`M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`} className="fill-none stroke-border" />
          <path d={`M0 ${y(0)}H${width}`} className="fill-none stroke-muted-foreground" />
          <path d={`M${path}`} strokeWidth="2" strokeLinejoin="round" className="fill-none stroke-photographer" />
        </svg>
        <div aria-hidden className="col-start-2 mt-1 flex justify-between gap-3">
          <span className="truncate">{first?.label}</span>
          <span className="truncate">{last?.label}</span>
        </div>
      </div>
      <figcaption>
        {points.length} rows from {first?.label} to {last?.label}. Highest {peak.text}, at {peak.label}.
      </figcaption>
    </figure>
  )
}
