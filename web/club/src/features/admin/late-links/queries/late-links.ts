import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { fetchAll } from '@/lib/fetch-all'
import type { LateForm } from '@/lib/late-link'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

const columns = 'id, award, entrant, created_by, created_at, expires_at, used_at, entry, revoked_at, revoked_by'

async function listLateLinks() {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase
      .from('late_links')
      .select(columns, { count: 'exact' })
      .order('created_at', { ascending: false })
      .order('id')
      .range(from, to),
  )
}

/** All late links, newest first. Their tokens are not included, because the server does not store them. */
export const lateLinksQuery = queryOptions({ queryKey: ['late-links'], queryFn: listLateLinks })
export type LateLink = Awaited<ReturnType<typeof listLateLinks>>[number]

export interface LateLinkInput {
  award: LateForm
  entrant: string
  lastDay: string
}

/** Creates a late link and returns its token. The token cannot be read again later. */
export function useCreateLateLink() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ award, entrant, lastDay }: LateLinkInput) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('create_late_link', { award, entrant, last_day: lastDay })
      if (error) throw error
      return data
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['late-links'] }),
  })
}

export function useRevokeLateLink() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ id }: LateLink) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('revoke_late_link', { link: id })
      if (error) throw error
      if (!data) throw new Error('The link was used or had ended already')
    },
    onSuccess: () => notifySuccess({ title: 'Success', description: 'The late link opens nothing any more' }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['late-links'] }),
  })
}
