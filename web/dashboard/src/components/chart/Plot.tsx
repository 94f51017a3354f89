import type { Metrics } from '@/lib/metrics/contract'
import type { Drawing, Layer } from '@/lib/metrics/drawing'
import { height, mark, width, xOf } from '@/lib/metrics/shape'
import { ticks } from '@/lib/metrics/time'

interface PlotProps {
  data: Metrics
  drawing: Drawing
  isFilled: boolean
  /** Index of the highlighted sample. */
  pointed: number | undefined
}

/** The lines or stacked areas of a chart, stretched to the available width. The width of the strokes does not change. */
export function Plot({ data, drawing, isFilled, pointed }: PlotProps) {
  const { frame, layers } = drawing
  const start = Math.min(Math.max(xOf(new Date(data.started_at).getTime() / 1000, frame), 0), width)
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="block size-full overflow-visible [&_path]:[vector-effect:non-scaling-stroke]"
    >
      {/* Grey area for the time before the server was started. */}
      <rect width={start} height={height} className="fill-muted" />
      <g className="fill-none stroke-border">
        {ticks(data.from, data.to).map(({ at }) => (
          <path key={at} d={`M${xOf(at, frame)} 0v${height}`} />
        ))}
        <path d={`M0 0h${width}M0 ${height / 2}h${width}`} />
      </g>
      {layers.map((layer) => (
        <Shape key={layer.name} layer={layer} isFilled={isFilled} />
      ))}
      <path d={`M0 ${height}h${width}`} className="fill-none stroke-muted-foreground" />
      {pointed !== undefined && <Pointer data={data} drawing={drawing} index={pointed} />}
    </svg>
  )
}

function Shape({ layer: { path, points, shade, look }, isFilled }: { layer: Layer; isFilled: boolean }) {
  if (isFilled) return <path d={path} className={look.fill} />
  return (
    <>
      {shade !== undefined && <path d={shade} className="fill-photographer-wash" />}
      <path
        d={path}
        className={`fill-none ${look.stroke}`}
        strokeWidth="2"
        strokeLinejoin="round"
        strokeLinecap="round"
        strokeDasharray={look.dash}
      />
      <path d={points} className={`fill-none ${look.stroke}`} strokeWidth="4" strokeLinecap="round" />
    </>
  )
}

/** A vertical line at the highlighted time, and a point where it meets each line of the chart. */
function Pointer({ data, drawing: { frame, layers }, index }: { data: Metrics; drawing: Drawing; index: number }) {
  const time = data.times[index]
  if (time === undefined) return null
  return (
    <g className="fill-none stroke-foreground">
      <path d={`M${xOf(time, frame)} 0v${height}`} />
      {layers.map(({ name, heights, look }) => {
        const value = heights[index] ?? null
        return (
          value !== null && (
            <path key={name} d={mark(time, value, frame)} className={look.stroke} strokeWidth="8" strokeLinecap="round" />
          )
        )
      })}
    </g>
  )
}
