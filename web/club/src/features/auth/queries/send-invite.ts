import { useMutation } from '@tanstack/react-query'
import { getSettings } from '@/lib/config'
import { invoke } from '@/lib/functions'

async function sendInvite() {
  await invoke('send-invite', { email: getSettings().firstAdminEmail })
}

export function useSendInvite() {
  return useMutation({ mutationFn: sendInvite })
}
