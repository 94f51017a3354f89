import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Supabase } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { rankingColumns, type Place } from '../awards'
import type { JudgedEntry } from '../entry'
import { useJudgeClient } from '../judge-client'

interface Ranking {
  entry: JudgedEntry
  place: Place | null
}

/** Error: another judge has given a place to the entry since this judge read it. */
class PlacedMeanwhile extends Error {}

async function rankEntry(supabase: Supabase, { entry, place }: Ranking) {
  const column = rankingColumns[entry.category]
  const change = column === 'junior_ranking' ? { junior_ranking: place } : { senior_ranking: place }
  const update = supabase
    .from(entry.award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')
    .update(change)
    .eq('id', entry.id)
  // The update has a condition: the place must be the one that was read. If another judge has changed it, no row is updated.
  const seen = entry.place === null ? update.is(column, null) : update.eq(column, entry.place)
  const { data, error } = await seen.select('id')
  if (error) throw error
  if (data.length === 0) throw new PlacedMeanwhile()
}

/**
 * Gives a place to an entry, or removes it. All components that show the entry share one saving state, so that a key press and a click cannot save at
 * the same time.
 */
export function useRankEntry(entry: JudgedEntry) {
  const supabase = useJudgeClient()
  const queries = useQueryClient()
  const mutationKey = ['judging-rank', entry.id]
  const isSaving = useIsMutating({ mutationKey }) > 0
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: (ranking: Ranking) => rankEntry(supabase, ranking),
    onSuccess: () => notifySuccess({ title: 'Ranking updated', description: 'The ranking has been saved successfully' }),
    onError: (error) =>
      notifyError(
        error instanceof PlacedMeanwhile
          ? { title: 'Error', description: 'Another judge has just placed this entry. What you see now is their choice.' }
          : { title: 'Error', description: 'Failed to update ranking' },
      ),
    // The buttons stay disabled until the saved state has been read and is shown.
    onSettled: (_nothing, _error, { entry }) =>
      queries.invalidateQueries({ queryKey: ['judging', entry.award, entry.category] }),
  })
  const choose = (place: Place) => {
    // `isSaving` is not used, because a second key may be pressed before the first change has been rendered.
    if (queries.isMutating({ mutationKey }) > 0) return
    mutate({ entry, place: entry.place === place ? null : place })
  }
  return { choose, isSaving }
}
