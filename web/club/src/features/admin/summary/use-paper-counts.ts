import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { notifyError } from '@cloch/ui/lib/notify'
import { countEntries, type Submissions } from '../entries/submissions'
import { offlineQuery } from '../offline/queries/list-counts'

/** The counts of entries on paper, and whether reading them or the entries failed: totals without one of them would be too low. */
export function usePaperCounts(submissions: Submissions) {
  const { data, isError, refetch } = useQuery(offlineQuery)
  // The dashboard itself reports that entries could not be read.
  const isPaperAlone = isError && !submissions.failed
  useEffect(() => {
    if (isPaperAlone) notifyError({ title: 'Error', description: 'Failed to fetch submissions' })
  }, [isPaperAlone])
  return {
    data,
    isLoaded: data !== undefined && countEntries(submissions) !== undefined,
    failed: submissions.failed || isError,
    retry: () => {
      if (submissions.failed) submissions.retry()
      if (isError) void refetch()
    },
  }
}
