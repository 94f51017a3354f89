import type { PostgrestError } from '@supabase/supabase-js'

/** Number of rows per request. The server may return fewer (max_rows). Therefore the total number decides when everything has been read. */
const pageSize = 1000

interface Page<Row> {
  data: Row[] | null
  count: number | null
  error: PostgrestError | null
}

/**
 * Reads a whole table in pages. The requests of `page` must ask for the exact count and must define a total order; otherwise rows could be read twice
 * or missed.
 * @throws the error that the server returned
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
