import type { PlanNode } from '@/components/plan/plan'

export const statementsKey = ['statements'] as const

/** Sort orders of the list. The highest value is always first. */
export const orders = { total: 'Total time', mean: 'Time of a call', calls: 'Calls' } as const
export type Order = keyof typeof orders

export const orderOf = (search: URLSearchParams): Order => {
  const order = search.get('order') ?? ''
  return Object.hasOwn(orders, order) ? (order as Order) : 'total'
}

/** A statement of one role, with the figures of pg_stat_statements. Times are milliseconds. */
export interface Statement {
  id: string
  role_oid: number
  role: string
  text: string
  calls: number
  total_ms: number
  mean_ms: number
  max_ms: number
  rows: number
  /** Share of the total time of all statements, from 0 to 1. */
  share: number
  /** Share of the blocks that were in memory when they were read. Null if no block was read. */
  hit_ratio: number | null
}

export interface StatementList {
  available: boolean
  statements: Statement[]
  /** The reason why there are no statements, and what the user can do about it. */
  message?: string
  hint?: string
  /** Total number of statements. The list contains only the first 100. */
  count?: number
  /** Number of statements whose text cannot be read by the project’s owner role. */
  hidden?: number
  since?: string | null
}

export interface IndexHint {
  relation: string
  sql: string
  reason: string
  rows: number
  /** The source of the number of rows: a column of PostgreSQL's catalog or of its statistics. */
  rows_from: 'pg_class.reltuples' | 'pg_stat_all_tables.n_live_tup'
}

export interface StatementPlan {
  plan: PlanNode | null
  reason: { message: string; hint: string | null } | null
  /** The role for which the statement was planned. Null if this is the read-only login. */
  planned_as: string | null
  hints: IndexHint[]
}

/** Identifier of a statement in the URL. */
export const keyOf = ({ id, role_oid }: Pick<Statement, 'id' | 'role_oid'>) => `${id}.${role_oid}`
