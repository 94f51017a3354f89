import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get } from '@/lib/api'
import type { Range } from './range'
import { axisFrom } from './time'

/** One value for each time. Null if there is no value. */
export type Values = readonly (number | null)[]

/** Response of /_/api/metrics: the metrics of one node. */
export interface Metrics {
  node: string
  range: Range
  /** Number of seconds between two samples. If two samples are further apart, samples are missing. */
  step: number
  /** Start and end of the shown range, in seconds since 1970. */
  from: number
  to: number
  /** The time at which each sample ended, in seconds since 1970. */
  times: readonly number[]
  /** The values of each series. If the server does not have a part, such as a backup, the series of this part are missing. */
  series: Readonly<Record<string, Values | undefined>>
  started_at: string
}

/**
 * Reads the metrics. They are read again every ten seconds for the last hour, and every five minutes for longer ranges, but not while the page is in
 * the background.
 */
export const useMetrics = (range: Range) =>
  useQuery({
    queryKey: ['metrics', range],
    queryFn: ({ signal }) => get<Metrics>('/metrics', { range }, signal),
    refetchInterval: range === '1h' ? 10_000 : 60_000,
    placeholderData: keepPreviousData,
    select: fromStart,
  })

const fromStart = (metrics: Metrics): Metrics => ({
  ...metrics,
  from: axisFrom(metrics.from, metrics.to, new Date(metrics.started_at).getTime() / 1000),
})
