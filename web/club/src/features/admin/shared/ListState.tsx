import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { notifyError } from '@cloch/ui/lib/notify'
import { LoadFailed } from './LoadFailed'
import { Loading } from './Loading'

interface ListStateProps<Data> {
  query: UseQueryResult<Data>
  /** Queries that the list uses besides, for its filters and counts: their failure is reported as the list's own. */
  others?: readonly UseQueryResult[]
  /** What is said when it could not be read. */
  failed: string
  loading?: string
  children: (data: Data) => ReactNode
}

/** What a list gets that is one part of several. */
export interface PartProps {
  onAdd: () => void
  /** The queries of the other parts. */
  others: readonly UseQueryResult[]
}

/** Loading, failed, or what was read. After a failed refresh what was read before stays. */
export function ListState<Data>({ query, others = [], failed, loading, children }: ListStateProps<Data>) {
  const { data } = query
  const failures = [query, ...others].filter(({ isError }) => isError)
  const isFailed = failures.length > 0
  useEffect(() => {
    if (isFailed) notifyError({ title: 'Error', description: failed })
  }, [isFailed, failed])
  const retry = () => {
    for (const { refetch } of failures) void refetch()
  }
  return (
    <>
      {isFailed ? <LoadFailed onRetry={retry}>{failed}</LoadFailed> : null}
      {data === undefined ? query.isError ? null : <Loading>{loading}</Loading> : children(data)}
    </>
  )
}
