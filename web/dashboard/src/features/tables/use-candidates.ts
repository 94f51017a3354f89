import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { post } from '@/lib/api'
import type { As } from '@/lib/as'
import type { Reference, TableDetail } from '@/lib/schema'
import type { Filter, RowsPage } from './model'
import { searches, tellingColumns } from './telling'
import { rowsKey } from './use-rows'

/** Maximum number of rows that are offered. The search finds other rows. */
export const mostCandidates = 50
/** Delay in milliseconds between the last typed character and the request to the server. */
const PAUSE = 200

/** A row to which the foreign key can refer. */
export interface Candidate {
  key: string
  /** Values of the descriptive columns. */
  texts: (string | null)[]
}

/**
 * Returns the rows of the referenced table that match a text. They are read with the rights of the caller, with one request for each searched column.
 */
export function useCandidates(table: TableDetail | undefined, reference: Reference, text: string, as: As | null) {
  const [asked, setAsked] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), PAUSE)
    return () => clearTimeout(timer)
  }, [text])
  const key = reference.referenced[0] ?? ''
  const telling = table ? tellingColumns(table, key) : []
  const filters: (Filter | undefined)[] = !table ? [] : asked.trim() === '' ? [undefined] : searches(table, key, asked)
  const { schema, table: name } = reference
  const results = useQueries({
    queries: filters.map((filter) => ({
      queryKey: [...rowsKey({ schema, name }), 'candidates', filter, as],
      staleTime: 60_000,
      placeholderData: keepPreviousData,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        post<RowsPage>(
          '/rows/read',
          {
            schema,
            table: name,
            filters: filter ? [filter] : [],
            limit: mostCandidates,
            ...(as === null ? {} : { as }),
          },
          signal,
        ),
    })),
  })
  const names = [key, ...telling.map((column) => column.name)]
  const found = new Map(results.flatMap(({ data }) => (data ? candidates(data, names) : [])))
  return {
    telling,
    candidates: [...found.values()].slice(0, mostCandidates),
    isPending: !table || asked !== text || results.some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData),
    error: results.find(({ error }) => error !== null)?.error,
    refetch: () => results.forEach((result) => void result.refetch()),
  }
}

/** The rows of a page, each with its key. A row is left out if the response contains only a part of its key. */
function candidates({ columns, rows, cut }: RowsPage, [key = '', ...telling]: readonly string[]): [string, Candidate][] {
  const places = telling.map((name) => columns.indexOf(name))
  const keyPlace = columns.indexOf(key)
  return rows.flatMap((row, index): [string, Candidate][] => {
    const value = row[keyPlace]
    if (typeof value !== 'string' || cut.some(([at, column]) => at === index && column === keyPlace)) return []
    return [[value, { key: value, texts: places.map((place) => row[place] ?? null) }]]
  })
}
