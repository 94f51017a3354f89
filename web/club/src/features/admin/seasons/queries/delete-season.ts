import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { removeFiles } from '../../files/queries/remove-files'
import type { Season } from './list-seasons'
import { seasonFiles } from './season-plan'

/** Files first: the database refuses to forget a season whose files are still stored, so a failure on the way can be repeated. */
async function deleteSeason(season: Season, onProgress: (removed: number, of: number) => void): Promise<number> {
  await removeFiles(await seasonFiles(season), onProgress)
  const supabase = await connect()
  const { data, error } = await supabase.rpc('delete_season', { before: season.ends_at, season: season.name })
  if (error) throw error
  return data
}

/** Deletes what the plan of a season lists. `progress` says how far it has come. */
export function useDeleteSeason(season: Season) {
  const queries = useQueryClient()
  const [progress, setProgress] = useState('')
  const mutation = useMutation({
    mutationFn: () =>
      deleteSeason(season, (removed, of) => setProgress(of === 0 ? '' : `${removed} of ${of} files are deleted.`)),
    onSuccess: (entries) =>
      notifySuccess({ title: 'Success', description: `The personal data of ${season.name} is deleted: ${entries} entries` }),
    onError: (error) =>
      notifyError({
        title: 'Error',
        description: `The season is not deleted completely: ${messageOf(error)}. It can be done again.`,
      }),
    // Every list of the dashboard has shown something that is gone.
    onSettled: () => queries.invalidateQueries(),
  })
  return { ...mutation, progress }
}
