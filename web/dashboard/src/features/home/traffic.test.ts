import { describe, expect, it } from 'vitest'
import type { Metrics } from '@/lib/metrics/contract'
import { errorsVerdict, latencyVerdict, requestsVerdict } from './traffic'

const metrics = (series: Metrics['series']): Metrics => ({
  node: 'a:1',
  range: '1h',
  step: 10,
  from: 0,
  to: 3600,
  times: [3580, 3590, 3600],
  series,
  started_at: '1970-01-01T00:00:00Z',
})

describe('traffic', () => {
  it('is counted from rates', () => {
    expect(requestsVerdict(metrics({ requests_rest: [1, null, 2], requests_auth: [0, 0.5, 0] })).figure).toBe('35')
    expect(requestsVerdict(metrics({})).says).toEqual(['No client has sent a request in the last hour.'])
  })

  it('has a warning for few errors, and a problem for many', () => {
    const of = (errors: number[], requests = [100, 100, 100]) =>
      errorsVerdict(metrics({ errors_5xx: errors, requests_rest: requests }))
    expect(of([0, 0, 0])).toMatchObject({ level: 'ok', figure: '0' })
    expect(of([0, 0.1, 0])).toMatchObject({ level: 'warning', figure: '1' })
    expect(of([0, 0.1, 0]).says[0]).toMatch(/^1 request of 3,000 failed on the server \(5xx\), last at \d\d:\d\d:\d\d\.$/)
    expect(of([1, 1, 1])).toMatchObject({ level: 'problem', figure: '30' })
    expect(of([0.1, 0.1, 0.1], [0, 0, 0]).level, 'too few to judge').toBe('warning')
    expect(errorsVerdict(metrics({ errors_4xx: [1, 0, 0] })).says[1]).toBe('10 requests were refused (4xx).')
  })

  it('is slow if it is slow now; an earlier peak is only mentioned', () => {
    const of = (p99: (number | null)[]) => latencyVerdict(metrics({ latency_p50_ms: [5, 6, null], latency_p99_ms: p99 }))
    expect(of([null, null, null])).toMatchObject({ level: 'ok', figure: '–' })
    expect(of([20, 40, null])).toMatchObject({ level: 'ok', figure: '6.0 ms, 40 ms' })
    expect(of([2000, 40, null]).level).toBe('ok')
    expect(of([2000, 40, null]).says.at(-1)).toContain('2.00 s')
    expect(of([20, 3000, null]).level).toBe('warning')
  })
})
