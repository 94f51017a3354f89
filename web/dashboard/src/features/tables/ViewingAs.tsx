import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { get, path } from '@/lib/api'
import { describeAs, type As } from '@/lib/as'
import { useMay } from '@/lib/session'

/** E-mail address of the user with whose rights the rows are read. `undefined` if the caller is not a user, or while the address is being read. */
function useEmail(as: As): string | undefined {
  const id = 'user' in as ? as.user : ''
  const user = useQuery({
    queryKey: ['users', id],
    queryFn: ({ signal }) => get<{ user: { email?: string | null } }>(path`/users/${id}`, {}, signal),
    enabled: id !== '',
  })
  return user.data?.user.email ?? undefined
}

/** Notice that the rows are shown as another caller sees them, with a button to end this. */
export function ViewingAs({ as, onStop }: { as: As; onStop: () => void }) {
  const email = useEmail(as)
  const mayAudit = useMay('developer')
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b-6 border-foreground bg-warning-wash px-4 py-2"
    >
      <Eye aria-hidden />
      {/* The button is at the left, because messages at the right would cover it. */}
      <Button variant="outline" size="compact" onClick={onStop}>
        Be yourself again
      </Button>
      <p className="min-w-0 flex-1 basis-64">
        You look as <strong>{describeAs(as, email)}</strong>: these are their rows. Changes are tried as them and taken back.{' '}
        {mayAudit ? <Link to="/audit?action=rows.">It is in the audit</Link> : 'It is in the audit'}.
      </p>
    </div>
  )
}
