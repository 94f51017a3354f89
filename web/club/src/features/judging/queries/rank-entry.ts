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

/** Somebody has placed the entry since this judge saw it. */
class PlacedMeanwhile extends Error {}

async function rankEntry(supabase: Supabase, { entry, place }: Ranking) {
  const column = rankingColumns[entry.category]
  const change = column === 'junior_ranking' ? { junior_ranking: place } : { senior_ranking: place }
  const update = supabase
    .from(entry.award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')
    .update(change)
    .eq('id', entry.id)
  // Over the place that was seen and no other: two judges at one entry notice each other.
  const seen = entry.place === null ? update.is(column, null) : update.eq(column, entry.place)
  const { data, error } = await seen.select('id')
  if (error) throw error
  if (data.length === 0) throw new PlacedMeanwhile()
}

/**
 * Gives an entry a place, or takes away the place that it holds. Everything that shows the entry shares one state of saving, so that a
 * key and a click do not save at the same time.
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
    // Before the buttons work again, what is shown is what is saved.
    onSettled: (_nothing, _error, { entry }) =>
      queries.invalidateQueries({ queryKey: ['judging', entry.award, entry.category] }),
  })
  const choose = (place: Place) => {
    // Not isSaving: a second key may be pressed before the first one is drawn.
    if (queries.isMutating({ mutationKey }) > 0) return
    mutate({ entry, place: entry.place === place ? null : place })
  }
  return { choose, isSaving }
}
