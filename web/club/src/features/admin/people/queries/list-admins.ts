import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'

/** An administrator of the club, or a person invited as one. */
export interface Admin {
  /** The e-mail address, which is unique. */
  id: string
  isYou: boolean
  /** Whether the invitation has not been accepted yet. */
  isPending: boolean
  invitedBy: string | null
  since: string
  lastSignIn: string | null
}

async function listAdmins(): Promise<Admin[]> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('list_admins')
  if (error) throw error
  return data.map((row) => ({
    id: row.email,
    isYou: row.is_you,
    isPending: row.is_pending,
    invitedBy: row.invited_by,
    since: row.since,
    lastSignIn: row.last_sign_in_at,
  }))
}

/** The administrators. Pending invitations are last. */
export const adminsQuery = queryOptions({ queryKey: ['admins'], queryFn: listAdmins })
