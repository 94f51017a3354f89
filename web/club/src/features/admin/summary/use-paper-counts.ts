import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { notifyError } from '@cloch/ui/lib/notify'
import { countEntries, type Submissions } from '../entries/submissions'
import { offlineQuery } from '../offline/queries/list-counts'

/** Reads the counts of entries on paper. Also states whether this or the reading of the entries failed: then the totals would be too low. */
export function usePaperCounts(submissions: Submissions) {
  const { data, isError, refetch } = useQuery(offlineQuery)
  // If the entries could not be read, the dashboard itself shows that error.
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
