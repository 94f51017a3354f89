import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Place } from '../awards'
import type { JudgedEntry } from '../entry'
import { useJudgeClient } from '../judge-client'
import { useMarking } from '../marking/marking'
import { MarkRefused } from '../marking/refused'

interface Ranking {
  entry: JudgedEntry
  place: Place | null
}

/**
 * Gives a place to an entry, or removes it. All components that show the entry share one saving state, so that a key press and a click cannot save at
 * the same time.
 */
export function useRankEntry(entry: JudgedEntry) {
  const supabase = useJudgeClient()
  const marking = useMarking()
  const queries = useQueryClient()
  const mutationKey = ['judging-rank', entry.id]
  const isSaving = useIsMutating({ mutationKey }) > 0
  const isFinished = marking.isFinished(entry)
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: (ranking: Ranking) => marking.place(supabase, ranking.entry, ranking.place),
    onSuccess: () => notifySuccess({ title: 'Ranking updated', description: 'The ranking has been saved successfully' }),
    onError: (error) =>
      notifyError({
        title: 'Error',
        description: error instanceof MarkRefused ? error.message : 'Failed to update ranking',
      }),
    // The buttons stay disabled until the saved state has been read and is shown.
    onSettled: (_nothing, _error, { entry }) =>
      queries.invalidateQueries({ queryKey: ['judging', entry.award, entry.category] }),
  })
  const choose = (place: Place) => {
    // `isSaving` is not used, because a second key may be pressed before the first change has been rendered.
    if (isFinished || queries.isMutating({ mutationKey }) > 0) return
    mutate({ entry, place: entry.place === place ? null : place })
  }
  return { choose, isSaving, isFinished }
}
