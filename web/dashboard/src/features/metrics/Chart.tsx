import { useId, useMemo } from 'react'
import type { ChartSpec } from '@/lib/metrics/charts'
import type { Metrics } from '@/lib/metrics/contract'
import { drawingOf, type Drawing } from '@/lib/metrics/drawing'
import { Pointing } from './Pointing'
import { formatAt } from '@/lib/metrics/time'
import { formatValue } from '@/lib/metrics/unit'

interface ChartProps {
  spec: ChartSpec
  data: Metrics
  /** Index of the sample at which the pointer is. The pointer may be in another chart. */
  pointed: number | undefined
  onPoint: (index: number | undefined) => void
}

/** Chart of a measured value over time. Shows its title, the current value or the value at the pointer, and its lines. */
export function Chart({ spec, data, pointed, onPoint }: ChartProps) {
  const drawing = useMemo(() => drawingOf(spec, data), [spec, data])
  const id = useId()
  if (drawing === undefined) return null
  const index = pointed ?? data.times.length - 1
  const top = drawing.layers.at(-1)
  const hasOneValue = spec.form === 'layers' || drawing.layers.length === 1
  return (
    <figure aria-labelledby={id} className="flex flex-col gap-2 rounded border bg-card p-3 pb-2">
      <figcaption className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 id={id} className="text-h3">
            {spec.title}
          </h3>
          <p className="text-floor text-muted-foreground">{spec.about}</p>
        </div>
        {hasOneValue && (
          <p className="shrink-0 text-right font-display text-[1.25rem] leading-tight font-bold">
            {formatValue(top?.heights[index], spec.unit)}
            {spec.most !== undefined && (
              <span className="block font-sans text-floor font-normal text-muted-foreground">
                of {formatValue(data.series[spec.most]?.[index], spec.unit)}
              </span>
            )}
          </p>
        )}
      </figcaption>
      {drawing.layers.length > 1 && <Legend spec={spec} drawing={drawing} index={index} />}
      <Pointing spec={spec} data={data} drawing={drawing} index={index} isPointed={pointed !== undefined} onPoint={onPoint} />
      <p className="text-floor text-muted-foreground">{summary(spec, data, drawing)}</p>
    </figure>
  )
}

function Legend({ spec, drawing, index }: { spec: ChartSpec; drawing: Drawing; index: number }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-0.5 text-floor">
      {drawing.layers.map(({ name, label, look, values }) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg aria-hidden width="18" height="10">
            {spec.form === 'layers' ? (
              <rect width="10" height="10" x="4" className={look.fill} />
            ) : (
              <path d="M1 5h16" strokeWidth="2.5" strokeDasharray={look.dash} strokeLinecap="round" className={look.stroke} />
            )}
          </svg>
          <span className="text-muted-foreground">{label}</span>
          <span className="font-strong tabular-nums">{formatValue(values[index], spec.unit)}</span>
        </li>
      ))}
    </ul>
  )
}

/** A text that describes the whole chart to screen readers. */
function summary({ unit, isFromZero }: ChartSpec, { times, range }: Metrics, { layers, peak }: Drawing): string {
  const at = (index: number) => formatAt(times[index] ?? 0, range)
  if (isFromZero)
    return peak === undefined ? 'None in this range' : `Highest ${formatValue(peak.value, unit)}, ${at(peak.index)}`
  const values = layers[0]?.values ?? []
  const first = values.findIndex((value) => value !== null)
  const change = (values.findLast((value) => value !== null) ?? 0) - (values[first] ?? 0)
  const sign = change < 0 ? '−' : '+'
  return change === 0 ? `The same since ${at(first)}` : `${sign}${formatValue(Math.abs(change), unit)} since ${at(first)}`
}
