import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { notifyError } from '@cloch/ui/lib/notify'
import { LoadFailed } from './LoadFailed'
import { Loading } from './Loading'

interface ListStateProps<Data> {
  query: UseQueryResult<Data>
  /** Other queries that the list needs for its filters and counts. If one of them fails, the list shows the error. */
  others?: readonly UseQueryResult[]
  /** Message if the list could not be read. */
  failed: string
  loading?: string
  children: (data: Data) => ReactNode
}

/** Props of a list that is one of several parts. */
export interface PartProps {
  onAdd: () => void
  /** Queries of the other parts of the page. */
  others: readonly UseQueryResult[]
}

/**
 * Shows whether a list is loading or has failed; otherwise shows its data. If the data was read once and a later request fails, the data stays
 * visible.
 */
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
