import { useQuery } from '@tanstack/react-query'
import { LogOut, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/ConfirmDialog'
import { formatDay, formatMoment } from '@/lib/dates'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { BlockTable, type Column } from '../shared/BlockTable'
import { ListState } from '../shared/ListState'
import { PanelHeading } from '../shared/PanelHeading'
import { Passkeys } from '../sign-in/Passkeys'
import { SecondStepSection } from '../sign-in/SecondStepSection'
import { InviteDialog } from './InviteDialog'
import { useInviteAdmin, useRemoveAdmin } from './queries/change-admins'
import { adminsQuery, type Admin } from './queries/list-admins'

/** The club's administrators, and how the signed-in administrator signs in. */
export function PeoplePanel({ onLogoutEverywhere }: { onLogoutEverywhere: () => void }) {
  const admins = useQuery(adminsQuery)
  const [inviting, setInviting] = useState(false)
  return (
    <>
      <PanelHeading title="People" subtitle="Administrators of the youth awards">
        <Button size="sm" onClick={() => setInviting(true)}>
          <UserPlus aria-hidden />
          Invite Admin
        </Button>
      </PanelHeading>
      <ListState query={admins} failed="Failed to load the administrators">
        {(all) => <AdminTable admins={all} />}
      </ListState>
      <Passkeys />
      <SecondStepSection />
      <section aria-labelledby="devices" className="mt-12 grid max-w-[36em] justify-items-start gap-3">
        <h2 id="devices" className="text-[1.375rem] leading-tight">
          Your devices
        </h2>
        <p>
          Logout ends your session on this device only. If you have left yourself signed in somewhere else, or have lost a
          device, end all of your sessions.
        </p>
        <Button size="sm" variant="outline" onClick={onLogoutEverywhere}>
          <LogOut aria-hidden />
          Log out everywhere
        </Button>
      </section>
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </>
  )
}

function AdminTable({ admins }: { admins: readonly Admin[] }) {
  const [removing, setRemoving] = useState<Admin>()
  const invite = useInviteAdmin()
  const remove = useRemoveAdmin()
  const columns: Column<Admin>[] = [
    { name: 'Email', cell: ({ id, isYou }) => (isYou ? `${id} (you)` : id), lead: true },
    {
      name: 'Status',
      cell: ({ isPending }) => (isPending ? <Badge>Invited</Badge> : <Badge tone="success">Administrator</Badge>),
    },
    { name: 'Since', cell: ({ since, invitedBy }) => (invitedBy ? `${formatDay(since)}, by ${invitedBy}` : formatDay(since)) },
    { name: 'Last sign-in', cell: ({ lastSignIn }) => (lastSignIn ? formatMoment(lastSignIn) : '-') },
    {
      name: 'Actions',
      cell: (admin) =>
        admin.isYou ? (
          '-'
        ) : (
          <div className="flex flex-wrap gap-1 no-print">
            {admin.isPending ? (
              <Button
                size="sm"
                variant="ghost"
                disabled={invite.isPending}
                aria-label={`Send the invitation of ${admin.id} again`}
                onClick={() => invite.mutate(admin.id)}
              >
                Send again
              </Button>
            ) : null}
            <Button size="sm" variant="ghost" aria-label={`Remove ${admin.id}`} onClick={() => setRemoving(admin)}>
              Remove
            </Button>
          </div>
        ),
    },
  ]
  return (
    <>
      <BlockTable label="Administrators" columns={columns} rows={admins} />
      <ConfirmDialog
        open={removing !== undefined}
        title={removing?.isPending ? 'Take the invitation back?' : 'Remove this administrator?'}
        confirm="Remove"
        onConfirm={() => {
          if (removing) remove.mutate(removing.id)
          setRemoving(undefined)
        }}
        onCancel={() => setRemoving(undefined)}
      >
        {removing?.isPending
          ? `The link that ${removing.id} was sent stops working.`
          : `${removing?.id ?? ''} is signed out everywhere and can sign in no more. What they have done stays in the history.`}
      </ConfirmDialog>
    </>
  )
}
