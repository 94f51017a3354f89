import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'
import type { GuestStatus } from '../status'

type Row = Database['public']['Tables']['invited_guests']['Row']
export type Guest = Omit<Row, 'status'> & { status: GuestStatus }

async function listGuests(): Promise<Guest[]> {
  const supabase = await connect()
  const rows = await fetchAll((from, to) =>
    supabase.from('invited_guests').select('*', { count: 'exact' }).order('name').order('id').range(from, to),
  )
  // The table's check constraint allows only the three statuses.
  return rows as Guest[]
}

/** All guests by name. */
export const guestsQuery = queryOptions({ queryKey: ['guests'], queryFn: listGuests })
