import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { removeFiles } from '../../../files/queries/remove-files'
import { awardNames } from '../../../shared/award'
import type { Entry } from '../../entry'
import { entryFiles } from './entry-traces'

/**
 * Deletes the files first, because the database refuses to delete an entry that still has stored files. If the deletion fails, it can be repeated.
 */
async function deleteEntry(entry: Entry): Promise<void> {
  await removeFiles(await entryFiles(entry))
  const supabase = await connect()
  const { error } = await supabase.rpc('delete_entry', { award: entry.award, entry: entry.id })
  if (error) throw error
}

/** Deletes an entry, its files and its history. */
export function useDeleteEntry(entry: Entry) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => deleteEntry(entry),
    onSuccess: () => {
      // The message does not contain the name of the deleted entry, because it stays on the screen for a while.
      notifySuccess({ title: 'Success', description: `${awardNames[entry.award].record} deleted for good` })
      // The history contains data of the entry. Therefore it is removed from this browser's memory too.
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
