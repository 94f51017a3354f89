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

/** Milliseconds or cost of a node without the nodes below it. */
export interface Share {
  own: number
  /** Of the whole plan, from 0 to 1. */
  part: number
}

const timeOf = (node: PlanNode) => (node['Actual Total Time'] ?? 0) * (node['Actual Loops'] ?? 1)

const hasRun = (node: PlanNode) => node['Actual Total Time'] !== undefined

/** What a node takes by itself: time if the statement has run, else estimated cost. Nodes of parallel workers run beside each other. */
export function shareOf(node: PlanNode, whole: PlanNode): Share {
  const measure = hasRun(whole) ? timeOf : (one: PlanNode) => one['Total Cost']
  const below = (node.Plans ?? []).reduce((sum, child) => sum + measure(child), 0)
  const own = Math.max(0, measure(node) - below)
  return { own, part: measure(whole) === 0 ? 0 : Math.min(1, own / measure(whole)) }
}

const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)]

/** The part of the whole from which a node is marked. */
const muchOf = 0.25

/** The node that takes the most by itself; none in a plan of one node, and none if every node takes little. */
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

/** What a node compares, sorts and groups, in words of the plan. */
export const detailsOf = (node: PlanNode): string[] =>
  details.flatMap((name) => {
    const value = node[name]
    return value === undefined ? [] : [`${name}: ${Array.isArray(value) ? value.join(', ') : value}`]
  })

/** Rows that a filter threw away for each row that it kept, from which an index may help. */
const wasteful = 20

/** What may help the node: nothing where it is fine. */
export function adviceOf(node: PlanNode): string | undefined {
  const removed = node['Rows Removed by Filter'] ?? 0
  if (node['Node Type'] !== 'Seq Scan' || node.Filter === undefined || removed < 1000) return undefined
  return removed >= wasteful * ((node['Actual Rows'] ?? 0) + 1)
    ? 'It reads the whole table for few rows: an index on the columns of the filter may help.'
    : undefined
}
