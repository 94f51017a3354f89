import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get } from '@/lib/api'
import type { Range } from './range'
import { axisFrom } from './time'

/** A value for each time; null where there is none. */
export type Values = readonly (number | null)[]

/** What /_/api/metrics says of one node. */
export interface Metrics {
  node: string
  range: Range
  /** Seconds between two samples. A longer time between two is a gap. */
  step: number
  /** What is drawn of the range, in seconds since 1970. */
  from: number
  to: number
  /** When each sample ended, in seconds since 1970. */
  times: readonly number[]
  /** What this server does not have, such as a backup, has no series. */
  series: Readonly<Record<string, Values | undefined>>
  started_at: string
}

/** The last hour has a new sample every ten seconds, the others every five minutes. A page in the background does not ask. */
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
