import type { PostgrestError } from '@supabase/supabase-js'

/** Rows asked for at once. The server may give fewer (its max_rows), so the total decides when to stop. */
const pageSize = 1000

interface Page<Row> {
  data: Row[] | null
  count: number | null
  error: PostgrestError | null
}

/**
 * Reads a whole table in pages. `page` must ask for the exact count and a total order, so that no row is met twice or missed.
 *
 * @throws the server's error
 */
export async function fetchAll<Row>(page: (from: number, to: number) => PromiseLike<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const { data, count, error } = await page(rows.length, rows.length + pageSize - 1)
    if (error) throw error
    if (!data || data.length === 0) return rows
    rows.push(...data)
    if (count !== null && rows.length >= count) return rows
  }
}
