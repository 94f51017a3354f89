import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { removeFiles } from '../../files/queries/remove-files'
import type { Season } from './list-seasons'
import { seasonFiles } from './season-plan'

/**
 * Deletes the files first, because the database refuses to delete a season that still has stored files. If the deletion fails, it can be repeated.
 */
async function deleteSeason(season: Season, onProgress: (removed: number, of: number) => void): Promise<number> {
  await removeFiles(await seasonFiles(season), onProgress)
  const supabase = await connect()
  const { data, error } = await supabase.rpc('delete_season', { before: season.ends_at, season: season.name })
  if (error) throw error
  return data
}

/** Deletes everything that the season's plan lists. `progress` is the number of files that have been deleted. */
export function useDeleteSeason(season: Season) {
  const queries = useQueryClient()
  const [progress, setProgress] = useState('')
  const mutation = useMutation({
    mutationFn: () =>
      deleteSeason(season, (removed, of) => setProgress(of === 0 ? '' : `${removed} of ${of} files are deleted.`)),
    onSuccess: (entries) =>
      notifySuccess({
        title: 'Success',
        description: `The personal data of ${season.name} is deleted: ${entries} ${entries === 1 ? 'entry' : 'entries'}`,
      }),
    onError: (error) =>
      notifyError({
        title: 'Error',
        description: `The season is not deleted completely: ${messageOf(error)}. It can be done again.`,
      }),
    // Any list of the dashboard may contain deleted data. Therefore all lists are read again.
    onSettled: () => queries.invalidateQueries(),
  })
  return { ...mutation, progress }
}
