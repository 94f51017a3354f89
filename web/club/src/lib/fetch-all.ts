import type { PostgrestError } from '@supabase/supabase-js'

/** Number of rows per request. The server may return fewer (max_rows), so the total decides when to stop. */
const pageSize = 1000

interface Page<Row> {
  data: Row[] | null
  count: number | null
  error: PostgrestError | null
}

/**
 * Reads a whole table in pages. `page` must request the exact count and a total order, so that no row is read twice or missed.
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
