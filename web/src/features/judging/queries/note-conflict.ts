import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyError } from '@/lib/notify'
import type { Supabase } from '@/lib/supabase'
import type { JudgedEntry } from '../entry'
import { useJudgeClient } from '../judge-client'

interface Note {
  entry: JudgedEntry
  known: boolean
}

async function noteConflict(supabase: Supabase, { entry, known }: Note) {
  const { error } = await supabase
    .from(entry.award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')
    .update({ ranking_conflict: known })
    .eq('id', entry.id)
  if (error) throw error
}

/** Keeps with the ranking that a judge knows the entrant. */
export function useNoteConflict() {
  const supabase = useJudgeClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (note: Note) => noteConflict(supabase, note),
    onError: () => notifyError({ title: 'Error', description: 'Failed to save the note' }),
    onSettled: (_nothing, _error, { entry }) =>
      queries.invalidateQueries({ queryKey: ['judging', entry.award, entry.category] }),
  })
}
