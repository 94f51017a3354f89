import { useMutation } from '@tanstack/react-query'
import { invoke } from '@/lib/functions'
import { getSettings } from '@/lib/config'

async function sendInvite() {
  await invoke('send-invite', { email: getSettings().firstAdminEmail })
}

export function useSendInvite() {
  return useMutation({ mutationFn: sendInvite })
}
