import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get } from '@/lib/api'
import type { Range } from './range'
import { axisFrom } from './time'

/** A value for each time; null if there is none. */
export type Values = readonly (number | null)[]

/** Response of /_/api/metrics: the metrics of one node. */
export interface Metrics {
  node: string
  range: Range
  /** Seconds between two samples. A longer interval is a gap. */
  step: number
  /** Start and end of the shown range, in seconds since 1970. */
  from: number
  to: number
  /** When each sample ended, in seconds since 1970. */
  times: readonly number[]
  /** Values by series. A part that this server lacks, such as a backup, has no series. */
  series: Readonly<Record<string, Values | undefined>>
  started_at: string
}

/** The last hour is read again every ten seconds, longer ranges every five minutes, but not while the page is in the background. */
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
