import type { PlanNode } from '@/components/plan/plan'
import type { As } from '@/lib/as'

export interface StatementResult {
  /** Position of the statement in the text. */
  start: number
  end: number
  command: string
  columns: { name: string; type: string }[]
  rows: (string | null)[][]
  more: boolean
  cut: [number, number][]
  ms: number
}

export interface RunError {
  message: string
  sqlstate: string | null
  detail: string | null
  hint: string | null
  position: number | null
}

export interface RunAnswer {
  results: StatementResult[]
  error: RunError | null
  notices: { severity: string; message: string }[]
  /** Whether all changes were committed. */
  kept: boolean
  /** Whether some changes were committed and others were not, because the script itself ends transactions. */
  kept_partly: boolean
  ms: number
}

export interface RunOptions {
  as: As
  mayWrite: boolean
  seconds: number
  explain?: 'plan' | 'analyze'
}

/** Converts a result to CSV (RFC 4180). Null becomes an empty field, and an empty text becomes a pair of quotation marks. */
export function toCsv({ columns, rows }: Pick<StatementResult, 'columns' | 'rows'>): string {
  const field = (text: string | null) =>
    text === null ? '' : text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  return [columns.map(({ name }) => name), ...rows].map((row) => row.map(field).join(',')).join('\r\n') + '\r\n'
}

export function readPlan(result: StatementResult): { plan: PlanNode; planning?: number; execution?: number } | undefined {
  const text = result.columns.length === 1 && result.columns[0]?.name === 'QUERY PLAN' ? result.rows[0]?.[0] : undefined
  if (typeof text !== 'string') return undefined
  try {
    const [first] = JSON.parse(text) as { Plan?: PlanNode; 'Planning Time'?: number; 'Execution Time'?: number }[]
    if (!first?.Plan) return undefined
    return {
      plan: first.Plan,
      ...(first['Planning Time'] === undefined ? {} : { planning: first['Planning Time'] }),
      ...(first['Execution Time'] === undefined ? {} : { execution: first['Execution Time'] }),
    }
  } catch {
    return undefined
  }
}
