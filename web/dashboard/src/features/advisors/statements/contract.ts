import type { PlanNode } from '@/components/plan/plan'

export const statementsKey = ['statements'] as const

/** The orders of the list, from the highest value down. */
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
  /** Of the time of all statements, from 0 to 1. */
  share: number
  /** Of the read blocks, those that were in memory; null if none was read. */
  hit_ratio: number | null
}

export interface StatementList {
  available: boolean
  statements: Statement[]
  /** Why there are none, and what to do. */
  message?: string
  hint?: string
  /** How many there are; the list has the first 100. */
  count?: number
  /** How many the project’s owner may not read. */
  hidden?: number
  since?: string | null
}

export interface IndexHint {
  relation: string
  sql: string
  reason: string
  rows: number
  /** The column of the catalog with the number of rows. */
  rows_from: 'pg_class.reltuples' | 'pg_stat_all_tables.n_live_tup'
}

export interface StatementPlan {
  plan: PlanNode | null
  reason: { message: string; hint: string | null } | null
  /** The role as which it was planned; null for the login that only reads. */
  planned_as: string | null
  hints: IndexHint[]
}

/** What names a statement in the address. */
export const keyOf = ({ id, role_oid }: Pick<Statement, 'id' | 'role_oid'>) => `${id}.${role_oid}`
