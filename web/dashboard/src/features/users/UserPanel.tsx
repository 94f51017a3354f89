import { useQuery } from '@tanstack/react-query'
import { Dialog } from '@/components/Dialog'
import { Facts } from '@/components/Facts'
import { Result } from '@/components/states'
import { get, path } from '@/lib/api'
import { firstText, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { nameOf, usersKey, type UserDetail } from './contract'
import { Metadata } from './Metadata'
import { SignIns } from './SignIns'
import { UserActions } from './UserActions'
import { States } from './UserTable'

/** Side panel with all data of one user. */
export function UserPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const detail = useQuery({
    queryKey: [...usersKey, 'one', id],
    queryFn: ({ signal }) => get<UserDetail>(path`/users/${id}`, {}, signal),
  })
  return (
    <Dialog title={detail.data ? nameOf(detail.data.user) : 'User'} place="side" onClose={onClose}>
      <Result query={detail} what="the user">
        {(data) => <Body detail={data} onGone={onClose} />}
      </Result>
    </Dialog>
  )
}

function Body({ detail, onGone }: { detail: UserDetail; onGone: () => void }) {
  const { user } = detail
  const mayChange = useMay('developer')
  return (
    <>
      <div className="flex flex-wrap gap-2 empty:hidden">
        <States user={user} />
      </div>
      <Facts
        facts={[
          ['Id', <code key="id">{user.id}</code>],
          ['Phone', firstText(user.phone) ?? '–'],
          ['Role', user.role ?? '–'],
          ['Since', formatTime(user.created_at)],
          ['Last sign-in', formatTime(user.last_sign_in_at)],
          ['E-mail confirmed', formatTime(user.email_confirmed_at)],
          ...(user.banned_until ? [['Banned until', formatTime(user.banned_until)] as const] : []),
        ]}
      />
      {mayChange && <UserActions user={user} onGone={onGone} />}
      <SignIns detail={detail} mayChange={mayChange} />
      <Metadata user={user} mayChange={mayChange} />
    </>
  )
}
