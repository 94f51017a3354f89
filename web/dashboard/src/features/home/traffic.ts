import { formatCount } from '@/lib/format'
import { requests } from '@/lib/metrics/charts'
import type { Metrics, Values } from '@/lib/metrics/contract'
import { formatAt } from '@/lib/metrics/time'
import { formatValue } from '@/lib/metrics/unit'
import { plural, type Verdict } from './verdict'

/** Errors are reported as a problem if both the share and the number of failed requests are at least as high as these. */
const [badPart, badCount] = [0.01, 5]
/** If the 99th percentile of the latency is above this number of milliseconds, a warning is shown. */
const slowMs = 1000

/** Computes a total number from rates per second. */
const total = (rates: Values = [], step: number) => Math.round(rates.reduce<number>((sum, rate) => sum + (rate ?? 0) * step, 0))

const sumOf = ({ series, step }: Metrics) => requests.series.reduce((sum, { name }) => sum + total(series[name], step), 0)

const clock = (metrics: Metrics, index: number) => formatAt(metrics.times[index] ?? 0, metrics.range)

export function requestsVerdict(metrics: Metrics): Verdict {
  const count = sumOf(metrics)
  return {
    level: 'ok',
    figure: formatCount(count),
    says: [count === 0 ? 'No client has sent a request in the last hour.' : 'To the APIs and the web app, in the last hour.'],
  }
}

export function errorsVerdict(metrics: Metrics): Verdict {
  const { errors_5xx, errors_4xx } = metrics.series
  const [failed, refused, count] = [total(errors_5xx, metrics.step), total(errors_4xx, metrics.step), sumOf(metrics)]
  const last = errors_5xx?.findLastIndex((rate) => rate !== null && rate > 0) ?? -1
  const isBad = failed >= badCount && failed >= count * badPart
  return {
    level: failed === 0 ? 'ok' : isBad ? 'problem' : 'warning',
    figure: formatCount(failed),
    says: [
      failed === 0
        ? 'No request has failed on the server (5xx).'
        : `${plural(failed, 'request')} of ${formatCount(Math.max(count, failed))} failed on the server (5xx), last at ${clock(metrics, last)}.`,
      ...(refused === 0 ? [] : [`${plural(refused, 'request')} ${refused === 1 ? 'was' : 'were'} refused (4xx).`]),
    ],
  }
}

export function latencyVerdict(metrics: Metrics): Verdict {
  const { latency_p50_ms: half = [], latency_p99_ms: most = [] } = metrics.series
  const last = most.findLastIndex((value) => value !== null)
  if (last < 0) return { level: 'ok', figure: '–', says: ['No client has sent a request in the last hour.'] }
  const slowest = most.reduce<number>((found, value, index) => ((value ?? 0) > (most[found] ?? 0) ? index : found), last)
  const isSlow = (most[last] ?? 0) > slowMs
  return {
    level: isSlow ? 'warning' : 'ok',
    figure: `${formatValue(half[last], 'ms')}, ${formatValue(most[last], 'ms')}`,
    says: [
      `p50 and p99 at ${clock(metrics, last)}: half of the requests, and 99 %, took no longer.`,
      ...(isSlow ? ['Requests are slow: see the charts and the log.'] : []),
      ...(slowest === last ? [] : [`p99 was highest at ${clock(metrics, slowest)}: ${formatValue(most[slowest], 'ms')}.`]),
    ],
  }
}
