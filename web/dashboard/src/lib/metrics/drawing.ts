import type { ChartSpec, Series } from './charts'
import type { Metrics, Values } from './contract'
import { around, fromZero } from './scale'
import { area, line, points, stacked, type Frame } from './shape'

export interface Layer extends Series {
  /** The measured values. */
  values: Values
  /** The heights at which the values are drawn. For stacked areas, a height includes the layers below. */
  heights: Values
  path: string
  /** Path with the samples that have no neighbours. They are drawn as points. */
  points: string
  /** Path of the area below the line, if there is only one line. */
  shade: string | undefined
}

export interface Drawing {
  frame: Frame
  /** The layers. The lowest is first. */
  layers: Layer[]
  /** The highest sample, and its height. */
  peak: { index: number; value: number } | undefined
}

/** If the measured value is a count, the axis reaches at least up to this value. Otherwise a single connection would fill the chart. */
const leastCount = 4

/** Computes the drawing of a chart. `undefined` if the server has none of the chart's series. */
export function drawingOf(spec: ChartSpec, { times, series, step, from, to }: Metrics): Drawing | undefined {
  const present = spec.series.flatMap((one) => {
    const values = series[one.name]
    return values === undefined ? [] : [{ ...one, values }]
  })
  if (present.length === 0) return undefined
  const heights = spec.form === 'layers' ? stacked(present.map(({ values }) => values)) : present.map(({ values }) => values)
  const all = heights.flat().filter((value) => value !== null)
  const scale = spec.isFromZero ? fromZero(all, spec.unit === 'count' ? leastCount : 0) : around(all)
  const frame = { ...scale, from, to }
  const ground: Values = times.map(() => 0)
  const layers = present.map((one, index) => {
    const upper = heights[index] ?? ground
    const lower = heights[index - 1] ?? ground
    const path = spec.form === 'layers' ? area(times, lower, upper, step, frame) : line(times, upper, step, frame)
    const hasShade = spec.form === 'lines' && spec.isFromZero && present.length === 1
    const shade = hasShade ? area(times, ground, upper, step, frame) : undefined
    const lone = spec.form === 'layers' ? '' : points(times, upper, step, frame)
    return { ...one, heights: upper, path, points: lone, shade }
  })
  return { frame, layers, peak: peakOf(heights) }
}

function peakOf(series: readonly Values[]): Drawing['peak'] {
  let peak: Drawing['peak']
  for (const values of series)
    values.forEach((value, index) => {
      if (value !== null && value > (peak?.value ?? 0)) peak = { index, value }
    })
  return peak
}
