import { describe, expect, it } from 'vitest'
import { adviceOf, detailsOf, heaviest, shareOf, type PlanNode } from './plan'

const node = (type: string, cost: number, more: Partial<PlanNode> = {}): PlanNode => ({
  'Node Type': type,
  'Startup Cost': 0,
  'Total Cost': cost,
  'Plan Rows': 1,
  ...more,
})

describe('a plan', () => {
  const scan = node('Seq Scan', 20, { 'Actual Total Time': 4, 'Actual Loops': 10, 'Actual Rows': 1 })
  const sort = node('Sort', 90, { 'Actual Total Time': 45, 'Actual Loops': 1, Plans: [scan] })

  it('marks the node with the longest own time over all its loops', () => {
    expect(shareOf(scan, sort)).toEqual({ own: 40, part: 40 / 45 })
    expect(shareOf(sort, sort).own).toBe(5)
    expect(heaviest(sort)).toBe(scan)
  })

  it('marks nodes by cost in a plan that was not executed', () => {
    const child = node('Seq Scan', 20)
    const plan = node('Sort', 90, { Plans: [child] })
    expect(shareOf(plan, plan).own).toBe(70)
    expect(heaviest(plan)).toBe(plan)
  })

  it('marks nothing in a plan of one node, and nothing if every node takes little', () => {
    expect(heaviest(node('Result', 1))).toBeUndefined()
    const even = Array.from({ length: 5 }, () => node('Seq Scan', 20))
    expect(heaviest(node('Append', 100, { Plans: even }))).toBeUndefined()
  })

  it('lists the columns that a node compares, and a suggested index', () => {
    expect(detailsOf(node('Sort', 1, { 'Sort Key': ['a', 'b DESC'], Filter: '(a > 1)' }))).toEqual([
      'Filter: (a > 1)',
      'Sort Key: a, b DESC',
    ])
    const waste = { Filter: '(a = 1)', 'Actual Rows': 3, 'Rows Removed by Filter': 50_000 }
    expect(adviceOf(node('Seq Scan', 1, waste))).toMatch(/index/)
    expect(adviceOf(node('Seq Scan', 1, { ...waste, 'Actual Rows': 40_000 }))).toBeUndefined()
    expect(adviceOf(node('Index Scan', 1, waste))).toBeUndefined()
  })
})
