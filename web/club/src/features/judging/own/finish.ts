import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyError } from '@cloch/ui/lib/notify'
import { useJudgeClient } from '../judge-client'
import type { OwnSection } from './own-judging'

/** Records that the judge has finished a category, or opens the category again. */
export function useFinish({ award, category }: OwnSection) {
  const supabase = useJudgeClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (finished: boolean) => {
      const { error } = await supabase.rpc('finish_judging', { award, category, finished })
      if (error) throw error
    },
    onError: () => notifyError({ title: 'Error', description: 'This could not be saved' }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['judging-own'] }),
  })
}
