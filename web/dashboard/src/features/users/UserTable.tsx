import { Badge } from '@cloch/ui/components/badge'
import { DataTable } from '@/components/DataTable'
import { RowButton } from '@/components/RowButton'
import { formatAgo, formatTime } from '@/lib/format'
import { isBanned, nameOf, type User } from './contract'

interface UserTableProps {
  users: User[]
  open: string | null
  onOpen: (id: string) => void
}

export function UserTable({ users, open, onOpen }: UserTableProps) {
  return (
    <DataTable
      label="Users"
      rows={users}
      rowKey={({ id }) => id}
      isChosen={({ id }) => id === open}
      columns={[
        {
          name: 'User',
          className: 'min-w-48',
          cell: (user) => (
            <span className="flex flex-wrap items-center gap-2">
              <RowButton onClick={() => onOpen(user.id)}>{nameOf(user)}</RowButton>
              <States user={user} />
            </span>
          ),
        },
        { name: 'Signs in by', cell: ({ providers }) => providers.join(', ') || '–' },
        {
          name: 'Last sign-in',
          className: 'whitespace-nowrap',
          cell: ({ last_sign_in_at }) => <span title={formatTime(last_sign_in_at)}>{formatAgo(last_sign_in_at)}</span>,
        },
        { name: 'Since', className: 'whitespace-nowrap', cell: ({ created_at }) => formatTime(created_at) },
      ]}
    />
  )
}

/** Badges for a user's special states, such as banned or unconfirmed. */
export function States({ user }: { user: User }) {
  const isWaiting = !user.is_anonymous && !user.email_confirmed_at && !user.phone_confirmed_at
  return (
    <>
      {isBanned(user) && <Badge tone="destructive">banned</Badge>}
      {user.deleted_at && <Badge tone="destructive">deleted</Badge>}
      {isWaiting && <Badge>{user.invited_at ? 'invited' : 'not confirmed'}</Badge>}
      {user.is_anonymous && <Badge>anonymous</Badge>}
    </>
  )
}
