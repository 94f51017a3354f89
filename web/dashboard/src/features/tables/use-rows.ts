import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { post } from '@/lib/api'
import type { TableDetail } from '@/lib/schema'
import { rowsRequest, type RowsPage, type View } from './model'

/** Number of rows per request. */
export const pageRows = 100
/** Maximum number of rows in the grid. Browsers cannot show a taller element. */
export const mostRows = 1_000_000

export interface Row {
  values: (string | null)[]
  /** Columns of which the response has only a part of the value. */
  cut: ReadonlySet<number>
}

export const rowsKey = (table: Pick<TableDetail, 'schema' | 'name'>) => ['rows', table.schema, table.name] as const

/**
 * The rows of some pages, and the number of all rows. A page is read from the last row of the previous page on if that is known, so that an index
 * makes any page fast.
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
  // The count may be an estimate. A page that is not full marks the real end.
  const all = ends.length > 0 ? Math.min(...ends) : Math.max(count.data?.count ?? 0, ...seen)
  /** A page that is still valid in the cache, although it is not visible. */
  const pageBefore = (page: number) => {
    const state = client.getQueryState<RowsPage>([...key, page])
    return state?.isInvalidated === false ? state.data : undefined
  }
  return {
    /** A row that has been read, even if it is not visible. */
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

/** Row objects by page. An unchanged row is always the same object, so that it is not rendered again. */
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

/** The pages that contain the rows between two positions, at most five. */
export function pagesBetween(from: number, to: number): number[] {
  const first = Math.floor(Math.max(from, 0) / pageRows)
  const last = Math.max(first, Math.floor(Math.max(to, 0) / pageRows))
  return Array.from({ length: Math.min(last - first + 1, 5) }, (_, index) => first + index)
}
