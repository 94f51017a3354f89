import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import { notifyError } from '@cloch/ui/lib/notify'
import type { Award } from '../../shared/award'
import type { MailState } from '../states'

/** The mails that were sent for entries, oldest first. */
export const entryMailsQuery = queryOptions({
  queryKey: ['entry-mails'],
  queryFn: async () => {
    const supabase = await connect()
    return fetchAll((from, to) =>
      supabase
        .from('entry_mails')
        .select('id, award, entry, state, sent_by, created_at', { count: 'exact' })
        .order('created_at')
        .order('id')
        .range(from, to),
    )
  },
})

interface Wanted {
  award: Award
  entry: string
  state: MailState
}

/** The mail for an entry; null if the entry was withdrawn or deleted. */
export function mailPreviewQuery({ award, entry, state }: Wanted) {
  return queryOptions({
    queryKey: ['mail-preview', award, entry, state],
    queryFn: async () => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('preview_state_mail', { award, entry, state }).maybeSingle()
      if (error) throw error
      return data
    },
    staleTime: 0,
  })
}

interface Sending {
  award: Award
  entries: string[]
  state: MailState
}

/** Queues the mails of a state: either all of them or, after an error, none. */
export function useSendStateMails() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (sending: Sending) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('send_state_mails', sending)
      if (error) throw error
      return data
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error, 'Failed to send email') }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['entry-mails'] }),
  })
}
