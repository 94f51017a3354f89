import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { connect } from '@/lib/supabase'
import { notifyError } from '@cloch/ui/lib/notify'
import type { Audience, Recipient } from '../reminders'

/** The reminders that were sent in the last weeks, newest first. */
export const sentRemindersQuery = queryOptions({
  queryKey: ['reminders', 'sent'],
  queryFn: async () => {
    const supabase = await connect()
    const { data, error } = await supabase
      .from('reminders')
      .select('id, audience, mails, sent_by, created_at')
      .order('created_at', { ascending: false })
      .limit(20)
    if (error) throw error
    return data
  },
})

export type SentReminder = Awaited<ReturnType<NonNullable<typeof sentRemindersQuery.queryFn>>>[number]

/** The addresses of a group, in the order of their names. */
export function recipientsQuery(audience: Audience) {
  return queryOptions({
    queryKey: ['reminders', 'recipients', audience],
    queryFn: async (): Promise<Recipient[]> => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('list_reminders', { audience })
      if (error) throw error
      return data
    },
    staleTime: 0,
  })
}

/** Query for the mail to an address; null if there is no reason for a reminder any more. */
export function reminderPreviewQuery(audience: Audience, recipient: string) {
  return queryOptions({
    queryKey: ['mail-preview', 'reminder', audience, recipient],
    queryFn: async () => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('preview_reminder', { audience, recipient }).maybeSingle()
      if (error) throw error
      return data
    },
    staleTime: 0,
  })
}

interface Sending {
  audience: Audience
  recipients: string[]
  /** Whether addresses that got a reminder in the last 24 hours get another one. */
  again: boolean
}

/** Queues the reminders: either all of them or, after an error, none. */
export function useSendReminders() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (sending: Sending) => {
      const supabase = await connect()
      const { data, error } = await supabase.rpc('send_reminders', sending)
      if (error) throw error
      return data
    },
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error, 'Failed to send the reminders') }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['reminders'] }),
  })
}
