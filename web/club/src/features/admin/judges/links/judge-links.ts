import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { Judge } from '../queries/list-judges'

async function listJudgeLinks() {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('judge_links')
  if (error) throw error
  return data as JudgeLinkRow[]
}

/** The link of a judge. Types generated from the database do not say which columns of a function may be null. */
export interface JudgeLinkRow {
  judge: string
  /** Whether the link can be opened now. */
  works: boolean
  created_at: string
  created_by: string | null
  used_at: string | null
  revoked_at: string | null
  revoked_by: string | null
  /** Number of the judge's categories that have entries, and how many of them the judge has finished. */
  sections: number
  finished: number
}

/** The links of the judges. Their tokens are not included, because the server does not store them. */
export const judgeLinksQuery = queryOptions({ queryKey: ['judge-links'], queryFn: listJudgeLinks })

/** Makes a link for a judge and returns its token. The former link of the judge ends. */
export function useMakeJudgeLink() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (judge: Judge) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('make_judge_link', { judge: judge.id })
      if (error) throw error
      return data
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['judge-links'] }),
  })
}

export function useRevokeJudgeLink() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (judge: Judge) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('revoke_judge_link', { judge: judge.id })
      if (error) throw error
      if (!data) throw new Error('The link had ended already')
    },
    onSuccess: () => notifySuccess({ title: 'Success', description: 'The link opens nothing any more' }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['judge-links'] }),
  })
}
