import { useMemo } from 'react'
import type { ChartSpec } from '@/lib/metrics/charts'
import type { Metrics } from '@/lib/metrics/contract'
import { drawingOf } from '@/lib/metrics/drawing'
import { Plot } from '@/components/chart/Plot'
import { formatAt } from '@/lib/metrics/time'
import { formatValue } from '@/lib/metrics/unit'

/** A small chart of the last hour, without axes. The page Metrics shows the same chart with axes. */
export function SmallChart({ spec, data }: { spec: ChartSpec; data: Metrics }) {
  const drawing = useMemo(() => drawingOf(spec, data), [spec, data])
  if (drawing === undefined || data.times.length < 2) return null
  const { peak } = drawing
  const says =
    peak === undefined
      ? 'none in the last hour'
      : `highest ${formatValue(peak.value, spec.unit)}, ${formatAt(data.times[peak.index] ?? 0, data.range)}`
  return (
    <div role="img" aria-label={`${spec.title}: ${says}`} className="my-1 h-12">
      <Plot data={data} drawing={drawing} isFilled={spec.form === 'layers'} pointed={undefined} />
    </div>
  )
}
