import type { Values } from './contract'
import type { Scale } from './scale'

/** Width of the viewBox, which is stretched to the available space. */
export const width = 1000
export const height = 100

/** The range of times and values that a drawing shows. */
export interface Frame extends Scale {
  from: number
  to: number
}

export const xOf = (time: number, { from, to }: Pick<Frame, 'from' | 'to'>) => ((time - from) / (to - from)) * width

const yOf = (value: number, { low, high }: Scale) => height - ((value - low) / (high - low)) * height

const point = (time: number, value: number, frame: Frame) => `${xOf(time, frame).toFixed(1)} ${yOf(value, frame).toFixed(1)}`

/** First and last index of each run of samples. A run ends where a value or a sample is missing. */
export function runs(times: readonly number[], values: Values, step: number): [number, number][] {
  const found: [number, number][] = []
  values.forEach((value, index) => {
    if (value === null) return
    const last = found.at(-1)
    const isNext = last?.[1] === index - 1 && (times[index] ?? 0) - (times[index - 1] ?? 0) <= step * 1.5
    if (last && isNext) last[1] = index
    else found.push([index, index])
  })
  return found
}

/** Path with a line for each run of at least two samples. */
export function line(times: readonly number[], values: Values, step: number, frame: Frame): string {
  const draw = ([first, last]: [number, number]) => {
    const points = times.slice(first, last + 1).map((time, index) => point(time, values[first + index] ?? 0, frame))
    return first === last ? '' : `M${points.join('L')}`
  }
  return runs(times, values, step).map(draw).join('')
}

/** Path with a line of length zero for each sample that has no neighbours. A thick stroke with round ends shows such a line as a point. */
export function points(times: readonly number[], values: Values, step: number, frame: Frame): string {
  const lone = runs(times, values, step).filter(([first, last]) => first === last)
  return lone.map(([at]) => mark(times[at] ?? 0, values[at] ?? 0, frame)).join('')
}

export const mark = (time: number, value: number, frame: Frame) => `M${point(time, value, frame)}h0`

/** Path of the area between two lines. If a sample has no neighbours, its area is as wide as the time between two samples. */
export function area(times: readonly number[], lower: Values, upper: Values, step: number, frame: Frame): string {
  const draw = ([first, last]: [number, number]) => {
    const spread = first === last ? [-step / 2, step / 2] : [0]
    const edge = (values: Values) =>
      times
        .slice(first, last + 1)
        .flatMap((time, index) => spread.map((shift) => point(time + shift, values[first + index] ?? 0, frame)))
    return `M${[...edge(upper), ...edge(lower).reverse()].join('L')}Z`
  }
  return runs(times, upper, step).map(draw).join('')
}

/** Stacks series: the values of each series are added to those of the series before it. */
export function stacked(series: readonly Values[]): Values[] {
  let below: Values = (series[0] ?? []).map(() => 0)
  return series.map((values) => {
    const sums = values.map((value, index) => (value === null ? null : value + (below[index] ?? 0)))
    below = sums
    return sums
  })
}

/** Index of the sample whose time is nearest to the given time. -1 if there are no samples. */
export function nearest(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= at) low = middle
    else high = middle
  }
  return Math.abs((times[high] ?? 0) - at) < Math.abs((times[low] ?? 0) - at) ? high : Math.min(low, high)
}
