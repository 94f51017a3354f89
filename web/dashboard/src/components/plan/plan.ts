/** A node of EXPLAIN (FORMAT JSON). */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Alias?: string
  'Join Type'?: string
  Filter?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  'Hash Cond'?: string
  'Merge Cond'?: string
  'Join Filter'?: string
  'Sort Key'?: string[]
  'Group Key'?: string[]
  'Startup Cost': number
  'Total Cost': number
  'Plan Rows': number
  'Actual Rows'?: number
  'Actual Total Time'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** The time in milliseconds, or the cost, of a node without its child nodes. */
export interface Share {
  own: number
  /** Share of the whole plan, from 0 to 1. */
  part: number
}

const timeOf = (node: PlanNode) => (node['Actual Total Time'] ?? 0) * (node['Actual Loops'] ?? 1)

const hasRun = (node: PlanNode) => node['Actual Total Time'] !== undefined

/**
 * Returns the share of a node without its child nodes. If the statement was executed, this is a share of the time, otherwise of the estimated cost.
 * Nodes that run in parallel workers run at the same time.
 */
export function shareOf(node: PlanNode, whole: PlanNode): Share {
  const measure = hasRun(whole) ? timeOf : (one: PlanNode) => one['Total Cost']
  const below = (node.Plans ?? []).reduce((sum, child) => sum + measure(child), 0)
  const own = Math.max(0, measure(node) - below)
  return { own, part: measure(whole) === 0 ? 0 : Math.min(1, own / measure(whole)) }
}

const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)]

/** A node with at least this share of the whole plan is marked. */
const muchOf = 0.25

/** Returns the node with the largest share; `undefined` if the plan has one node only, or if every share is small. */
export function heaviest(plan: PlanNode): PlanNode | undefined {
  const nodes = all(plan)
  if (nodes.length === 1) return undefined
  const [first] = nodes.map((node) => ({ node, part: shareOf(node, plan).part })).sort((a, b) => b.part - a.part)
  return first && first.part >= muchOf ? first.node : undefined
}

const details = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'Filter',
  'Sort Key',
  'Group Key',
] as const

/** The node's conditions, sort keys and group keys, with the words of the plan. */
export const detailsOf = (node: PlanNode): string[] =>
  details.flatMap((name) => {
    const value = node[name]
    return value === undefined ? [] : [`${name}: ${Array.isArray(value) ? value.join(', ') : value}`]
  })

/** If a filter removes at least this many rows for each row that it keeps, an index is suggested. */
const wasteful = 20

/** Returns advice for a node; `undefined` if the node needs none. */
export function adviceOf(node: PlanNode): string | undefined {
  const removed = node['Rows Removed by Filter'] ?? 0
  if (node['Node Type'] !== 'Seq Scan' || node.Filter === undefined || removed < 1000) return undefined
  return removed >= wasteful * ((node['Actual Rows'] ?? 0) + 1)
    ? 'It reads the whole table for few rows: an index on the columns of the filter may help.'
    : undefined
}
