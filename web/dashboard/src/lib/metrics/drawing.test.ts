import { expect, test } from 'vitest'
import { errors, groups, latency, requests } from './charts'
import type { Metrics } from './contract'
import { drawingOf } from './drawing'
import { formatValue } from './unit'

const data: Metrics = {
  node: 'a:1',
  range: '1h',
  step: 10,
  from: 0,
  to: 3600,
  times: [3580, 3590],
  series: { requests_rest: [1, 2], requests_web: [4, 5], errors_5xx: [0, 0.5], latency_p50_ms: [null, 3] },
  started_at: '1970-01-01T00:59:00Z',
}

test('a chart without data of this server is not drawn', () => {
  const drawn = groups.flatMap(({ charts }) => charts).filter((spec) => drawingOf(spec, data) !== undefined)
  expect(drawn.map(({ title }) => title)).toEqual(['Requests', 'Errors', 'Latency'])
})

test('the scale covers the sum of layers, and the highest line', () => {
  expect(drawingOf(requests, data)?.frame.high).toBe(8)
  expect(drawingOf(requests, data)?.peak).toEqual({ index: 1, value: 7 })
  expect(drawingOf(errors, data)?.frame.high).toBe(0.5)
  expect(drawingOf(latency, data)?.peak).toEqual({ index: 1, value: 3 })
})

test('values have a unit, and missing values are a dash', () => {
  expect([0.0033, 12.345, 0].map((value) => formatValue(value, 'rate'))).toEqual(['0.0033/s', '12.3/s', '0/s'])
  expect([0, 0.4, 1200].map((value) => formatValue(value, 'ms'))).toEqual(['0 ms', '0.4 ms', '1.20 s'])
  expect([59, 90, 86_400 * 3].map((value) => formatValue(value, 'age'))).toEqual(['59 s', '1.5 min', '3 d'])
  expect(formatValue(null, 'bytes')).toBe('–')
})
