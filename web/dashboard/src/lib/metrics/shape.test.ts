import { expect, test } from 'vitest'
import { area, line, nearest, points, runs, stacked } from './shape'

const frame = { from: 0, to: 100, low: 0, high: 10 }

test('a gap in time and a missing value each end a line segment', () => {
  const times = [10, 20, 30, 60, 70, 80, 90]
  expect(runs(times, [1, 2, 3, 4, 5, null, 7], 10)).toEqual([
    [0, 2],
    [3, 4],
    [6, 6],
  ])
  expect(runs([], [], 10)).toEqual([])
  expect(runs([10, 20], [null, null], 10)).toEqual([])
})

test('no line crosses a gap, and a single sample is a point', () => {
  const [times, values] = [
    [10, 20, 60],
    [5, 10, 0],
  ]
  expect(line(times, values, 10, frame)).toBe('M100.0 50.0L200.0 0.0')
  expect(points(times, values, 10, frame)).toBe('M600.0 100.0h0')
})

test('an area follows the upper line and returns along the lower one; a single sample has the width of a step', () => {
  expect(area([10, 20], [0, 5], [5, 10], 10, frame)).toBe('M100.0 50.0L200.0 0.0L200.0 50.0L100.0 100.0Z')
  expect(area([50], [0], [10], 10, frame)).toBe('M450.0 0.0L550.0 0.0L550.0 100.0L450.0 100.0Z')
})

test('layers are stacked', () => {
  const layers = [
    [1, 2, null],
    [10, 20, 30],
  ]
  expect(stacked(layers)).toEqual([
    [1, 2, null],
    [11, 22, 30],
  ])
  expect(stacked([])).toEqual([])
})

test('finds the nearest sample, also across a gap and beyond the ends', () => {
  const times = [10, 20, 60]
  const found = [-5, 14, 16, 39, 41, 99].map((at) => nearest(times, at))
  expect(found).toEqual([0, 0, 1, 1, 2, 2])
  expect(nearest([], 5)).toBe(-1)
  expect(nearest([7], 5)).toBe(0)
})
