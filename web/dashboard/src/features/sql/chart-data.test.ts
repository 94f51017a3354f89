import { describe, expect, it } from 'vitest'
import { axisOf, chartable, numberOf, pointsOf } from './chart-data'

const result = (types: string[], rows: (string | null)[][]) => ({
  columns: types.map((type, index) => ({ name: `c${index}`, type })),
  rows,
})
const rows = [
  ['1', '2'],
  ['3', '4'],
]

describe('a chart', () => {
  it('draws numbers by category, and by time as a line', () => {
    expect(chartable(result(['text', 'bigint'], rows))).toEqual({
      labels: [0, 1],
      values: [1],
      label: 0,
      value: 1,
      isLine: false,
    })
    expect(chartable(result(['numeric(10,2)', 'timestamp with time zone'], rows))).toEqual({
      labels: [1, 0],
      values: [0],
      label: 1,
      value: 0,
      isLine: true,
    })
  })

  it('draws numbers by numbers, and nothing without numbers', () => {
    expect(chartable(result(['integer', 'real'], rows))).toMatchObject({ values: [0, 1], label: 0, value: 1 })
    expect(chartable(result(['integer'], [['1'], ['2']]))).toMatchObject({ labels: [0], label: 0, value: 0 })
    expect(chartable(result(['text', 'jsonb'], rows))).toBeUndefined()
    expect(chartable(result(['text', 'integer'], rows.slice(1)))).toBeUndefined()
  })

  it('parses PostgreSQL’s output, and leaves out values that are not numbers', () => {
    expect(['-1.5', '1e3', '$1,234.50', 'NaN', '', null].map(numberOf)).toEqual([
      -1.5,
      1000,
      1234.5,
      undefined,
      undefined,
      undefined,
    ])
    const points = pointsOf(
      {
        rows: [
          ['a', '1'],
          [null, '2'],
          ['c', null],
        ],
      },
      0,
      1,
    )
    expect(points.map(({ label, value }) => [label, value])).toEqual([
      ['a', 1],
      ['null', 2],
    ])
    expect(axisOf(points)).toEqual({ low: 0, high: 2 })
    expect(axisOf([])).toEqual({ low: 0, high: 1 })
    expect(
      axisOf(
        pointsOf(
          {
            rows: [
              ['a', '-4'],
              ['b', '-2'],
            ],
          },
          0,
          1,
        ),
      ),
    ).toEqual({ low: -4, high: 0 })
  })
})
