import type { As } from '@/lib/as'
import type { TableDetail } from '@/lib/schema'

export const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'is', 'not_is', 'in', 'contains'] as const
export type Operator = (typeof operators)[number]

export const operatorWords: Record<Operator, string> = {
  eq: 'equals',
  neq: 'is not',
  gt: 'greater than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  like: 'like (a% b)',
  ilike: 'like, any case',
  is: 'is null / true / false',
  not_is: 'is not null / true / false',
  in: 'one of (a, b)',
  contains: 'contains (JSON, array)',
}

/** A filter as the user typed it. For the operator `in`, the value is a list with commas. */
export interface Filter {
  column: string
  op: Operator
  value: string
}

export interface Sort {
  column: string
  descending: boolean
}

/** The filter and order of the shown rows, and the caller with whose rights they are read. If `as` is null, this is the project's owner role. */
export interface View {
  filters: readonly Filter[]
  sort: readonly Sort[]
  as: As | null
}

/** A page of rows. All values are texts as formatted by PostgreSQL. */
export interface RowsPage {
  columns: string[]
  rows: (string | null)[][]
  cut: [number, number][]
  next: string[] | null
  count: number | null
  is_exact: boolean
  ms: number
}

/** Splits a typed list with commas into its values. */
export const listed = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Whether the filter is complete, that is, has a value if it needs one. An incomplete filter is not applied. */
export const isWhole = ({ op, value }: Filter) => value !== '' || op === 'is' || op === 'not_is'

/** The body of a request to /rows/read, without the range of the rows. */
export function rowsRequest(table: Pick<TableDetail, 'schema' | 'name'>, { filters, sort, as }: View) {
  return {
    schema: table.schema,
    table: table.name,
    ...(as === null ? {} : { as }),
    filters: filters
      .filter(isWhole)
      .map(({ column, op, value }) => ({ column, op, value: op === 'in' ? listed(value) : value })),
    sort,
  }
}

/** Converts a view to URL parameters, so that it can be opened by a link. `viewFromQuery` does the reverse. */
export function viewToQuery({ filters, sort }: View): URLSearchParams {
  const query = new URLSearchParams()
  for (const { column, op, value } of filters) query.append('filter', JSON.stringify([column, op, value]))
  for (const { column, descending } of sort) query.append('sort', JSON.stringify([column, descending]))
  return query
}

export function viewFromQuery(query: URLSearchParams): Pick<View, 'filters' | 'sort'> {
  const filters = query.getAll('filter').flatMap((text): Filter[] => {
    const [column, op, value] = parse(text)
    const known = operators.find((name) => name === op)
    return typeof column === 'string' && known !== undefined && typeof value === 'string' ? [{ column, op: known, value }] : []
  })
  const sort = query.getAll('sort').flatMap((text): Sort[] => {
    const [column, descending] = parse(text)
    return typeof column === 'string' ? [{ column, descending: descending === true }] : []
  })
  return { filters, sort }
}

function parse(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
