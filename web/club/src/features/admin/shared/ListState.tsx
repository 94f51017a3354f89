import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { notifyError } from '@cloch/ui/lib/notify'
import { LoadFailed } from './LoadFailed'
import { Loading } from './Loading'

interface ListStateProps<Data> {
  query: UseQueryResult<Data>
  /** What is said when it could not be read. */
  failed: string
  loading?: string
  children: (data: Data) => ReactNode
}

/** Loading, failed, or what was read. After a failed refresh what was read before stays. */
export function ListState<Data>({ query, failed, loading, children }: ListStateProps<Data>) {
  const { data, isError, refetch } = query
  useEffect(() => {
    if (isError) notifyError({ title: 'Error', description: failed })
  }, [isError, failed])
  return (
    <>
      {isError ? <LoadFailed onRetry={() => void refetch()}>{failed}</LoadFailed> : null}
      {data === undefined ? isError ? null : <Loading>{loading}</Loading> : children(data)}
    </>
  )
}
