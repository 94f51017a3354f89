import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { post } from '@/lib/api'
import type { TableDetail } from '@/lib/schema'
import { rowsRequest, type RowsPage, type View } from './model'

/** Number of rows per request. */
export const pageRows = 100
/** Maximum number of rows in the grid. Browsers cannot show an element with a greater height. */
export const mostRows = 1_000_000

export interface Row {
  values: (string | null)[]
  /** The columns for which the response contains only a part of the value. */
  cut: ReadonlySet<number>
}

export const rowsKey = (table: Pick<TableDetail, 'schema' | 'name'>) => ['rows', table.schema, table.name] as const

/**
 * Reads some pages of rows, and the number of all rows. If the last row of the previous page is known, a page is read beginning after this row; then
 * an index makes every page fast.
 * @param exact whether all rows are counted; otherwise a large number is estimated
 */
export function useRows(table: TableDetail, view: View, pages: readonly number[], exact: boolean) {
  const client = useQueryClient()
  const request = rowsRequest(table, view)
  const key = [...rowsKey(table), request]
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, page],
      staleTime: 60_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const before = client.getQueryData<RowsPage>([...key, page - 1])
        const part = before?.next ? { after: before.next } : { offset: page * pageRows }
        return post<RowsPage>('/rows/read', { ...request, ...part, limit: pageRows }, signal)
      },
    })),
  })
  const count = useQuery<RowsPage>({
    queryKey: [...key, 'count', exact],
    staleTime: 60_000,
    placeholderData: (before) => before,
    queryFn: ({ signal }) =>
      post<RowsPage>('/rows/read', { ...request, limit: 1, count: exact ? 'exact' : 'estimated' }, signal),
  })
  const at = new Map(pages.map((page, index) => [page, results[index]?.data]))
  const ends = [...at].flatMap(([page, data]) =>
    data && data.rows.length < pageRows ? [page * pageRows + data.rows.length] : [],
  )
  const seen = [...at].map(([page, data]) => page * pageRows + (data?.rows.length ?? 0))
  // The number may be an estimate. If a page is not full, its last row is the real end.
  const all = ends.length > 0 ? Math.min(...ends) : Math.max(count.data?.count ?? 0, ...seen)
  /** Returns a page that is not visible, if it is in the cache and still valid. */
  const pageBefore = (page: number) => {
    const state = client.getQueryState<RowsPage>([...key, page])
    return state?.isInvalidated === false ? state.data : undefined
  }
  return {
    /** Returns a row that has been read, even if it is not visible. */
    loaded: (index: number) => {
      const page = Math.floor(index / pageRows)
      return rowOf(at.get(page) ?? pageBefore(page), index % pageRows)
    },
    row: (index: number) => rowOf(at.get(Math.floor(index / pageRows)), index % pageRows),
    total: Math.min(all, mostRows),
    all,
    isExact: ends.length > 0 || (count.data?.is_exact ?? false),
    isCounted: count.data !== undefined,
    isLoaded: results.some(({ data }) => data !== undefined),
    isFetching: results.some(({ isFetching }) => isFetching),
    error: results.find(({ error }) => error !== null)?.error ?? count.error,
  }
}

/** The row objects of each page. An unchanged row is always the same object, so that it is not rendered again. */
const made = new WeakMap<RowsPage, (Row | undefined)[]>()

function rowOf(page: RowsPage | undefined, place: number): Row | undefined {
  const values = page?.rows[place]
  if (!page || !values) return undefined
  const rows = made.get(page) ?? []
  if (rows.length === 0) made.set(page, rows)
  return (rows[place] ??= {
    values,
    cut: new Set(page.cut.filter(([row]) => row === place).map(([, column]) => column)),
  })
}

/** The pages that contain the rows between two positions. Returns five at most. */
export function pagesBetween(from: number, to: number): number[] {
  const first = Math.floor(Math.max(from, 0) / pageRows)
  const last = Math.max(first, Math.floor(Math.max(to, 0) / pageRows))
  return Array.from({ length: Math.min(last - first + 1, 5) }, (_, index) => first + index)
}
