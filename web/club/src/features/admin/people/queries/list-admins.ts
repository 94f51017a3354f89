import { queryOptions } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'

/** Somebody who administers the club, or is invited to. */
export interface Admin {
  /** The address, which is what tells them apart. */
  id: string
  isYou: boolean
  /** The invitation has not been accepted yet. */
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

/** The administrators, those who have accepted first. */
export const adminsQuery = queryOptions({ queryKey: ['admins'], queryFn: listAdmins })
