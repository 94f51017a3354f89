/** The result for one row: a value, or an error if PostgreSQL could not evaluate the condition. */
export interface Tried {
  row: Record<string, unknown>
  using?: boolean | null
  check?: boolean | null
  error?: string | null
}

const holds = ({ using, check }: Tried) => using !== false && using !== null && check !== false && check !== null

/**
 * Summary of a test. If a row has an error, the summary contains the error in place of a result, because PostgreSQL would refuse a statement that
 * reads this row.
 */
export function outcome(rows: readonly Tried[]): { isError: boolean; text: string } {
  const failed = rows.filter(({ error }) => typeof error === 'string')
  const [first] = failed
  if (first) {
    const where = failed.length === rows.length ? '' : ` on ${failed.length} of ${rows.length} rows`
    return { isError: true, text: `It could not be tried${where}: ${first.error}` }
  }
  return { isError: false, text: `It holds for ${rows.filter(holds).length} of ${rows.length} rows.` }
}
