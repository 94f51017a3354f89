import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { awardNames } from '../../shared/award'
import type { Entry } from '../entry'
import { saveEntry } from './save-entry'

/** Withdraws an entry: judges no longer see it, and the totals no longer include it. If the entry is already withdrawn, restores it. */
export function useWithdraw(entry: Entry) {
  const queries = useQueryClient()
  const record = awardNames[entry.award].record
  return useMutation({
    // The database evaluates `now`, so the time is that of the database's clock.
    mutationFn: () => saveEntry(entry, { withdrawn_at: entry.withdrawnAt === null ? 'now' : null }),
    onSuccess: () =>
      notifySuccess({
        title: 'Success',
        description: entry.withdrawnAt === null ? `${record} withdrawn` : `${record} taken back`,
      }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['entries', entry.award] }),
  })
}
