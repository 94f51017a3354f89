import { OneFieldDialog } from '../shared/OneFieldDialog'
import { limits } from '../shared/rules'
import { useInviteAdmin } from './queries/change-admins'

/** Dialog that asks for the e-mail address of a new administrator and sends the invitation. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { mutate, isPending } = useInviteAdmin()
  return (
    <OneFieldDialog
      title="Invite Admin"
      description="They receive a link, choose a password of their own, and see everything that you see. The link works for a day."
      name="invited-email"
      label="Email"
      input={{ type: 'email' }}
      max={limits.email}
      submit="Send Invitation"
      submitting="Sending..."
      isPending={isPending}
      onSubmit={(email) => mutate(email.trim(), { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
