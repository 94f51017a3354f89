import { useMutation, useQueryClient } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Award } from '../../shared/award'

export interface Assignment {
  award: Award
  school: { id: string; name: string }
  /** Ids of the shown entries without a school. Withdrawn entries and entries of other seasons are not included. */
  entries: readonly string[]
}

/** @returns the ids of the entries that were changed */
async function giveSchool({ award, school, entries }: Assignment): Promise<string[]> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('give_school', { award, school: school.id, entries: [...entries] })
  if (error) throw error
  return data
}

async function takeSchoolBack({ award, school, entries }: Assignment): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('take_school_back', { award, school: school.id, entries: [...entries] })
  if (error) throw error
  return data
}

/** The word for an award's entries in messages. */
export function entriesOf(award: Award): string {
  return `${award === 'artist' ? 'art' : award} entries`
}

function notifyFailure(award: Award) {
  notifyError({ title: 'Error', description: `Failed to assign ${entriesOf(award)}` })
}

/** Assigns a school to entries of an award that have none. A message offers to undo this for a few seconds. */
export function useAssignSchool() {
  const queries = useQueryClient()
  const refresh = (award: Award) => queries.invalidateQueries({ queryKey: ['entries', award] })
  const { mutate: takeBack } = useMutation({
    mutationFn: takeSchoolBack,
    onSuccess: (count) => notifySuccess({ title: 'Success', description: `${count} entries have no school again` }),
    onError: (_error, { award }) => notifyFailure(award),
    onSettled: (_count, _error, { award }) => refresh(award),
  })
  return useMutation({
    mutationFn: giveSchool,
    onSuccess: (entries, { award, school }) =>
      notifySuccess({
        title: 'Success',
        description: `Assigned ${entries.length} ${entriesOf(award)} to ${school.name}`,
        action: { label: 'Undo', onClick: () => takeBack({ award, school, entries }) },
      }),
    onError: (_error, { award }) => notifyFailure(award),
    onSettled: (_entries, _error, { award }) => refresh(award),
  })
}
