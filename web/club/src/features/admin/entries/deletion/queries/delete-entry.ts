import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { removeFiles } from '../../../files/queries/remove-files'
import { awardNames } from '../../../shared/award'
import type { Entry } from '../../entry'
import { entryFiles } from './entry-traces'

/** Files first: the database refuses to forget an entry whose files are still stored, so a failure on the way can be repeated. */
async function deleteEntry(entry: Entry): Promise<void> {
  await removeFiles(await entryFiles(entry))
  const supabase = await connect()
  const { error } = await supabase.rpc('delete_entry', { award: entry.award, entry: entry.id })
  if (error) throw error
}

/** Deletes an entry with everything that its traces list. */
export function useDeleteEntry(entry: Entry) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => deleteEntry(entry),
    onSuccess: () => {
      // Without the name: a message stands on the screen for a while.
      notifySuccess({ title: 'Success', description: `${awardNames[entry.award].record} deleted for good` })
      // What the history says of it is gone from this device too.
      queries.removeQueries({ queryKey: ['audit', awardNames[entry.award].table, entry.id] })
    },
    onError: (error) =>
      notifyError({
        title: 'Error',
        description: `The entry is not deleted completely: ${messageOf(error)}. It can be done again.`,
      }),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['entries', entry.award] })
      void queries.invalidateQueries({ queryKey: ['shared-files'] })
    },
  })
}
