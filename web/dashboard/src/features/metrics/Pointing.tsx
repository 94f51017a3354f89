import type { KeyboardEvent, PointerEvent } from 'react'
import type { ChartSpec } from '@/lib/metrics/charts'
import type { Metrics } from '@/lib/metrics/contract'
import type { Drawing } from '@/lib/metrics/drawing'
import { Plot } from '@/components/chart/Plot'
import { nearest, xOf } from '@/lib/metrics/shape'
import { formatAt, ticks } from '@/lib/metrics/time'
import { formatValue } from '@/lib/metrics/unit'

interface PointingProps {
  spec: ChartSpec
  data: Metrics
  drawing: Drawing
  /** Index of the sample whose values are shown: the selected sample, or the newest if none is selected. */
  index: number
  isPointed: boolean
  onPoint: (index: number | undefined) => void
}

/** The plot between its axes. The user selects a time with the pointer or the arrow keys. All charts then show their values at this time. */
export function Pointing({ spec, data, drawing, index, isPointed, onPoint }: PointingProps) {
  const { times, from, to, range } = data
  const last = times.length - 1
  const time = formatAt(times[index] ?? to, range)
  const point = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    onPoint(nearest(times, from + ((event.clientX - box.left) / box.width) * (to - from)))
  }
  const press = (event: KeyboardEvent) => {
    const page = Math.ceil(times.length / 10)
    const to = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      PageDown: index - page,
      PageUp: index + page,
      Home: 0,
      End: last,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    onPoint(Math.min(Math.max(to, 0), last))
  }
  const read = drawing.layers.map(({ label, values }) => `${label} ${formatValue(values[index], spec.unit)}`).join(', ')
  return (
    <div className="mt-auto grid grid-cols-[3.75rem_minmax(0,1fr)] gap-x-2 text-[0.8125rem] text-muted-foreground tabular-nums">
      <div aria-hidden className="flex flex-col justify-between text-right leading-none">
        <span>{formatValue(drawing.frame.high, spec.unit)}</span>
        <span>{formatValue(drawing.frame.low, spec.unit)}</span>
      </div>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${spec.title} by time`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={`${time}: ${read}`}
        className="h-32 cursor-crosshair touch-pan-y"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={(event) => event.pointerType === 'mouse' && onPoint(undefined)}
        onKeyDown={press}
        onBlur={() => onPoint(undefined)}
      >
        <Plot data={data} drawing={drawing} isFilled={spec.form === 'layers'} pointed={isPointed ? index : undefined} />
      </div>
      <div aria-hidden className="relative col-start-2 mt-1.5 h-4 leading-none">
        {isPointed ? (
          <Mark
            x={xOf(times[index] ?? to, drawing.frame)}
            half={time.length / 4}
            className="bg-card font-strong text-foreground"
          >
            {time}
          </Mark>
        ) : (
          ticks(from, to).map(({ at, label }) => (
            <Mark key={at} x={xOf(at, drawing.frame)} half={label.length / 4}>
              {label}
            </Mark>
          ))
        )}
      </div>
    </div>
  )
}

/** A label below the time axis. It is centred at its time, but never extends beyond the ends of the axis. */
function Mark({ x, half, className, children }: { x: number; half: number; className?: string; children: string }) {
  const left = `clamp(${half}rem, ${x / 10}%, 100% - ${half}rem)`
  return (
    <span className={`absolute -translate-x-1/2 whitespace-nowrap ${className ?? ''}`} style={{ left }}>
      {children}
    </span>
  )
}
