/** Texts for the statistics of a function's calls. */
import { formatCount, formatDuration } from '@/lib/format'
import type { Figures } from '@/lib/functions'

export const callsOf = ({ calls }: Figures) => formatCount(calls)

/** Formats a share as a percentage. A value between 0 and 0.1 % is not rounded to 0. */
function share(part: number, whole: number): string {
  const percent = (part / whole) * 100
  return percent < 0.1 ? 'below 0.1 %' : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`
}

/** The number and share of responses with a status 5xx, such as “3 (1.5 %)”. */
export function failuresOf({ calls, failed }: Figures): string {
  if (calls === 0) return '–'
  return failed === 0 ? 'none' : `${formatCount(failed)} (${share(failed, calls)})`
}

/**
 * The number of failed calls, such as “3 (1.5 %), and 10 refused”. Calls with a status 4xx are counted separately as refused, because their cause is
 * the caller.
 */
export const errorsOf = (figures: Figures) =>
  failuresOf(figures) + (figures.refused === 0 ? '' : `, and ${formatCount(figures.refused)} refused`)

type Percentile = 'p50' | 'p95' | 'p99'

/** Percentiles of the time until the head of the response arrives: “12 ms / 140 ms”. */
export const latencyOf = ({ latency }: Figures, percentiles: Percentile[]) =>
  latency === null ? '–' : percentiles.map((percentile) => formatDuration(latency[percentile] * 1000)).join(' / ')
