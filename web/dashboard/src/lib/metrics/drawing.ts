import type { ChartSpec, Series } from './charts'
import type { Metrics, Values } from './contract'
import { around, fromZero } from './scale'
import { area, line, points, stacked, type Frame } from './shape'

export interface Layer extends Series {
  /** The measured values. */
  values: Values
  /** The heights at which the values are drawn. In stacked areas they include the layers below. */
  heights: Values
  path: string
  /** Path of the samples without neighbours, drawn as points. */
  points: string
  /** Path of the area below a single line. */
  shade: string | undefined
}

export interface Drawing {
  frame: Frame
  /** The layers, from the lowest up. */
  layers: Layer[]
  /** The highest sample, and its height. */
  peak: { index: number; value: number } | undefined
}

/** Minimum height of a count's axis, so that a single connection does not fill the chart. */
const leastCount = 4

/** The drawing of a chart; `undefined` if this server has none of its series. */
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
