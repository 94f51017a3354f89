import { useMutation, useQueryClient } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Award } from '../../shared/award'

export interface Assignment {
  award: Award
  school: { id: string; name: string }
}

/** @returns the entries that had no school and have this one now */
async function giveSchool({ award, school }: Assignment): Promise<string[]> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('give_school', { award, school: school.id })
  if (error) throw error
  return data
}

async function takeSchoolBack({ award, school, entries }: Assignment & { entries: string[] }): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('take_school_back', { award, school: school.id, entries })
  if (error) throw error
  return data
}

/** The words for each award that has the button. */
const words: Partial<Record<Award, string>> = { artist: 'art', photographer: 'photography' }
const failed = { title: 'Error', description: 'Failed to assign art/photographer entries' }

/** Gives a school to all entries of an award that have none; for a while it can be taken back. */
export function useAssignSchool() {
  const queries = useQueryClient()
  const refresh = (award: Award) => queries.invalidateQueries({ queryKey: ['entries', award] })
  const { mutate: takeBack } = useMutation({
    mutationFn: takeSchoolBack,
    onSuccess: (count) => notifySuccess({ title: 'Success', description: `${count} entries have no school again` }),
    onError: () => notifyError(failed),
    onSettled: (_count, _error, { award }) => refresh(award),
  })
  return useMutation({
    mutationFn: giveSchool,
    onSuccess: (entries, { award, school }) =>
      notifySuccess({
        title: 'Success',
        description: `Assigned ${entries.length} ${words[award] ?? award} entries to ${school.name}`,
        action: { label: 'Undo', onClick: () => takeBack({ award, school, entries }) },
      }),
    onError: () => notifyError(failed),
    onSettled: (_entries, _error, { award }) => refresh(award),
  })
}
