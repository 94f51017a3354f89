import { useMutation } from '@tanstack/react-query'
import { messageOf } from '@/lib/errors'
import { invoke } from '@/lib/functions'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'

async function setJudgingPassword(password: string) {
  await invoke('set-judging-password', { password })
}

/** Changes the password of the judging portal. All judges who signed in with the old password are signed out. */
export function useSetJudgingPassword() {
  return useMutation({
    mutationFn: setJudgingPassword,
    onSuccess: () => notifySuccess({ title: 'Success', description: 'The judging password has been changed' }),
    onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
  })
}
