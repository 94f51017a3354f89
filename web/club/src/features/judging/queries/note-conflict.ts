import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Supabase } from '@/lib/supabase'
import { notifyError } from '@cloch/ui/lib/notify'
import type { JudgedEntry } from '../entry'
import { useJudgeClient } from '../judge-client'

interface Note {
  entry: JudgedEntry
  known: boolean
}

/** Error: another judge has changed this note since this judge read it. */
class NotedMeanwhile extends Error {}

async function noteConflict(supabase: Supabase, { entry, known }: Note) {
  const { data, error } = await supabase
    .from(entry.award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')
    .update({ ranking_conflict: known })
    .eq('id', entry.id)
    .eq('ranking_conflict', !known)
    .select('id')
  if (error) throw error
  if (data.length === 0) throw new NotedMeanwhile()
}

/** Records together with the ranking that a judge knows the entrant. */
export function useNoteConflict() {
  const supabase = useJudgeClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (note: Note) => noteConflict(supabase, note),
    onError: (error) =>
      notifyError({
        title: 'Error',
        description:
          error instanceof NotedMeanwhile
            ? 'Another judge has just changed this note. What you see now is their choice.'
            : 'Failed to save the note',
      }),
    onSettled: (_nothing, _error, { entry }) =>
      queries.invalidateQueries({ queryKey: ['judging', entry.award, entry.category] }),
  })
}
