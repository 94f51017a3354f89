import { useMutation, useQueryClient } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Award } from '../../shared/award'

export interface Assignment {
  award: Award
  school: { id: string; name: string }
}

async function assignSchool({ award, school }: Assignment): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('assign_school', { award, school: school.id })
  if (error) throw error
  return data
}

/** The words for each award that has the button. */
const words: Partial<Record<Award, string>> = { artist: 'art', photographer: 'photography' }

/** Gives a school to all entries of an award that have none. */
export function useAssignSchool() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: assignSchool,
    onSuccess: (count, { award, school }) =>
      notifySuccess({ title: 'Success', description: `Assigned ${count} ${words[award] ?? award} entries to ${school.name}` }),
    onError: () => notifyError({ title: 'Error', description: 'Failed to assign art/photographer entries' }),
    onSettled: (_count, _error, { award }) => queries.invalidateQueries({ queryKey: ['entries', award] }),
  })
}
