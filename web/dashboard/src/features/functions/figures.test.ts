import { expect, it } from 'vitest'
import { callsOf, errorsOf, latencyOf } from './figures'

const none = { calls: 0, refused: 0, failed: 0, latency: null }

it('shows nothing for a function without calls', () => {
  expect([callsOf(none), errorsOf(none), latencyOf(none, ['p50'])]).toEqual(['0', '–', '–'])
})

it('distinguishes failures from refusals', () => {
  const figures = { calls: 2000, refused: 10, failed: 30, latency: { p50: 0.0123, p95: 0.1234, p99: 2.5 } }
  expect([callsOf(figures), errorsOf(figures), latencyOf(figures, ['p50', 'p95'])]).toEqual([
    '2,000',
    '30 (1.5 %), and 10 refused',
    '12 ms / 123 ms',
  ])
  expect(errorsOf({ ...figures, failed: 0, refused: 0 })).toBe('none')
  expect(errorsOf({ ...figures, failed: 1, refused: 0 })).toBe('1 (below 0.1 %)')
  expect(errorsOf({ ...figures, failed: 500, refused: 0 })).toBe('500 (25 %)')
})
