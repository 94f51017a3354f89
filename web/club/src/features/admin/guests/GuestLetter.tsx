import { useMutation } from '@tanstack/react-query'
import { forgetUnsaved } from '@/lib/unsaved-input'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { LetterDialog } from './LetterDialog'
import type { Guest } from './queries/list-guests'
import { sendLetter } from './queries/send-letter'

/** A letter to one guest. */
export function GuestLetter({ guest, onClose }: { guest: Guest & { email: string }; onClose: () => void }) {
  const { name, email, status } = guest
  const keptAs = `letter:${guest.id}`
  const { mutate, isPending } = useMutation({
    mutationFn: (message: string) => sendLetter({ name, email, status, message }),
    onSuccess: () => {
      forgetUnsaved(keptAs)
      notifySuccess({ title: 'Success', description: `Email sent to ${name}` })
      onClose()
    },
    onError: () => notifyError({ title: 'Error', description: 'Failed to send email' }),
  })
  return (
    <LetterDialog
      addressee={guest}
      recipients={`${name} <${email}>`}
      submit="Send Email"
      sending={isPending}
      keptAs={keptAs}
      onSend={mutate}
      onClose={onClose}
    />
  )
}
