import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyError } from '@cloch/ui/lib/notify'
import type { JudgedEntry } from '../entry'
import { useJudgeClient } from '../judge-client'
import { useMarking } from '../marking/marking'
import { MarkRefused } from '../marking/refused'

interface Note {
  entry: JudgedEntry
  known: boolean
}

/** Records together with the ranking that a judge knows the entrant. */
export function useNoteConflict() {
  const supabase = useJudgeClient()
  const marking = useMarking()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ entry, known }: Note) => marking.note(supabase, entry, known),
    onError: (error) =>
      notifyError({
        title: 'Error',
        description: error instanceof MarkRefused ? error.message : 'Failed to save the note',
      }),
    onSettled: (_nothing, _error, { entry }) =>
      queries.invalidateQueries({ queryKey: ['judging', entry.award, entry.category] }),
  })
}
