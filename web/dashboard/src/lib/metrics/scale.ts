/** The two ends of a chart's vertical axis. */
export interface Scale {
  low: number
  high: number
}

const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10]

/** Returns the smallest round number that is greater than or equal to a positive number. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = steps.find((step) => step * power >= value * (1 - 1e-9)) ?? 10
  return Number((step * power).toPrecision(3))
}

/** An axis from zero to a round number. Used for rates, durations and counts. */
export function fromZero(values: readonly number[], least = 0): Scale {
  const largest = Math.max(0, least, ...values)
  return { low: 0, high: largest === 0 ? 1 : roundUp(largest) }
}

/**
 * An axis that covers only the range of the values, but at least 2 % of the largest value. Used for sizes, whose growth would not be visible on an
 * axis from zero.
 */
export function around(values: readonly number[]): Scale {
  if (values.length === 0) return { low: 0, high: 1 }
  const [smallest, largest] = [Math.min(...values), Math.max(...values)]
  const step = roundUp(Math.max(largest - smallest, largest * 0.02, 1) / 4)
  const low = Math.max(0, Math.floor(smallest / step) * step)
  const high = Math.ceil(largest / step) * step
  return { low, high: high > low ? high : low + step }
}
