import { expect, test } from 'vitest'
import { around, fromZero, roundUp } from './scale'

test('scales end at the next larger round number', () => {
  expect([0.07, 0.1, 1, 1.1, 5.5, 6.1, 9.9, 100, 101].map(roundUp)).toEqual([0.08, 0.1, 1, 1.5, 6, 8, 10, 100, 150])
})

test('rates begin at zero, and a chart without values has a scale too', () => {
  expect(fromZero([0.3, 7.2])).toEqual({ low: 0, high: 8 })
  expect(fromZero([0, 0])).toEqual({ low: 0, high: 1 })
  expect(fromZero([])).toEqual({ low: 0, high: 1 })
  expect(fromZero([1], 4)).toEqual({ low: 0, high: 4 })
})

test('values are within their scale, whose height is never zero', () => {
  for (const values of [[53_400_000, 53_900_000], [27e9], [0], [5, 1e12], [0, 0.5]]) {
    const { low, high } = around(values)
    expect(low).toBeLessThanOrEqual(Math.min(...values))
    expect(high).toBeGreaterThanOrEqual(Math.max(...values))
    expect(high).toBeGreaterThan(low)
    expect(low).toBeGreaterThanOrEqual(0)
  }
  const { low, high } = around([100e6, 101e6])
  expect(high - low).toBeLessThan(4e6)
})
