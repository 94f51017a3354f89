import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError } from '@cloch/ui/lib/notify'
import type { Award } from '../../../shared/award'
import { useDelete } from '../../../shared/use-delete'

async function listCriteria(award: Award) {
  const supabase = await connect()
  const { data, error } = await supabase.from('judging_criteria').select('*').eq('award', award).order('created_at').order('id')
  if (error) throw error
  return data
}

/** The criteria by which judges with a link score the entries of an award. */
export function criteriaQuery(award: Award) {
  return queryOptions({ queryKey: ['judging-criteria', award], queryFn: () => listCriteria(award) })
}
export type Criterion = Awaited<ReturnType<typeof listCriteria>>[number]

const uniqueViolation = '23505'

export function useAddCriterion(award: Award) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, maximum }: { name: string; maximum: number }) => {
      const supabase = await connect()
      const { error } = await supabase.from('judging_criteria').insert({ award, name, maximum })
      if (error?.code === uniqueViolation) throw new Error('This award has a criterion of this name already')
      if (error) throw error
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['judging-criteria', award] }),
        queries.invalidateQueries({ queryKey: ['joint-result', award] }),
      ]),
  })
}

export function useDeleteCriterion(award: Award) {
  return useDelete<Criterion>({
    list: criteriaQuery(award).queryKey,
    stale: ['joint-result', award],
    remove: async (criterion) => {
      const supabase = await connect()
      const { error } = await supabase.from('judging_criteria').delete().eq('id', criterion.id)
      if (error) throw error
      return criterion
    },
    // The criterion is restored with the same id, so that the existing scores count again.
    restore: async ({ id, name, maximum, created_at }) => {
      const supabase = await connect()
      const { error } = await supabase.from('judging_criteria').insert({ id, award, name, maximum, created_at })
      if (error) throw error
    },
    deleted: 'Criterion removed',
    failed: (error) => messageOf(error),
  })
}
