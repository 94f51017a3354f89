import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

async function matchSchools(): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('match_schools')
  if (error) throw error
  return data
}

/** Assigns schools to entries that have none, if the name that the entrant typed matches the name of a school. */
export function useMatchSchools() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: matchSchools,
    onSuccess: (count) =>
      notifySuccess({
        title: 'Success',
        description: count === 0 ? 'No more entries could be matched to a school' : `Matched ${count} entries to their schools`,
      }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error, 'Failed to update schools') }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['entries'] }),
  })
}
