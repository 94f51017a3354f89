import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import type { SeasonView } from '../seasons/season-view'

/** An entry in the list of results. Its texts are null if the website must no longer show it. */
export interface ListedResult {
  id: string
  award: string
  kind: string
  name: string | null
  category: string | null
  place: number | null
  picture: string | null
  updated_at: string
  /** Whether the last publication contains this entry. */
  is_published: boolean
  /** The time at which the sender corrected the entry, if this was after the last publication. */
  corrected_at: string | null
}

/** The list of results, in the order of the page. */
export const resultsQuery = queryOptions({
  queryKey: ['site', 'site_results'],
  queryFn: async () => {
    const supabase = await connect()
    const { data, error } = await supabase.rpc('listed_results')
    if (error) throw error
    const rows: ListedResult[] = data
    return rows
  },
})

/** Converts a time for PostgreSQL. -Infinity becomes '-infinity'. */
function moment(milliseconds: number): string {
  if (Number.isFinite(milliseconds)) return new Date(milliseconds).toISOString()
  return milliseconds < 0 ? '-infinity' : 'infinity'
}

/** Adds entries of a season to the list: the winners and places, or all pictures. The database skips entries without a recorded consent. */
export function useTakeResults({ from, until }: SeasonView) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (pictures: boolean) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('take_results', { since: moment(from), until: moment(until), pictures })
      if (error) throw error
      return data
    },
    onSuccess: (added) =>
      notifySuccess({ title: 'Success', description: added === 1 ? '1 entry was added' : `${added} entries were added` }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['site'] }),
  })
}

export function useRemoveResult() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ id }: ListedResult) => {
      const supabase = await connect()
      const { error } = await supabase.from('site_results').delete().eq('id', id)
      if (error) throw error
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['site'] }),
  })
}
