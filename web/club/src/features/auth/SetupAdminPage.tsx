import { getSettings } from '@/lib/config'
import { messageOf } from '@/lib/errors'
import { usePage } from '@/lib/use-page'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { AuthPanel } from './AuthPanel'
import { useSendInvite } from './queries/send-invite'

/** Page that sends an invitation to the club's first administrator. The address is in the server's configuration. */
export function Component() {
  const invite = useSendInvite()
  usePage({ title: 'Admin invitation', description: 'Invites the administrator of the youth awards.' })

  const send = () =>
    invite.mutate(undefined, {
      onSuccess: () => notifySuccess({ title: 'Success!', description: 'The invitation email was sent.' }),
      onError: (error) => notifyError({ title: 'Error', description: messageOf(error) }),
    })

  return (
    <AuthPanel title="Admin invitation">
      <p>
        The club’s administrator, <span className="font-strong break-all">{getSettings().firstAdminEmail}</span>, receives an
        email with a link to choose a password.
      </p>
      <Button onClick={send} disabled={invite.isPending} aria-busy={invite.isPending}>
        {invite.isPending ? 'Sending...' : 'Send Admin Invitation'}
      </Button>
    </AuthPanel>
  )
}
