import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { invoke } from '@/lib/functions'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

/** Invites a person to become an administrator of the club. If the person is already invited, sends the invitation again. */
export function useInviteAdmin() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (email: string) => {
      await invoke('send-invite', { email })
    },
    onSuccess: (_answer, email) => notifySuccess({ title: 'Success!', description: `The invitation was sent to ${email}` }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['admins'] }),
  })
}

/** Removes an administrator (role, account and sessions) or a pending invitation. */
export function useRemoveAdmin() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (email: string) => {
      const supabase = await connect()
      const { error } = await supabase.rpc('remove_admin', { admin_email: email })
      if (error) throw error
    },
    onSuccess: (_nothing, email) => notifySuccess({ title: 'Success', description: `${email} is no administrator any more` }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['admins'] }),
  })
}
