import { connect } from '@/lib/supabase'
import { failedToDelete } from '../../shared/failures'
import { useDelete } from '../../shared/use-delete'
import { guestsQuery, type Guest } from './list-guests'

async function deleteGuest(guest: Guest) {
  const supabase = await connect()
  const { data, error } = await supabase.from('invited_guests').delete().eq('id', guest.id).select().maybeSingle()
  if (error) throw error
  return data ? (data as Guest) : guest
}

async function restoreGuest(guest: Guest) {
  const supabase = await connect()
  const { error } = await supabase.from('invited_guests').insert(guest)
  if (error) throw error
}

export function useDeleteGuest() {
  return useDelete<Guest>({
    list: guestsQuery.queryKey,
    remove: deleteGuest,
    restore: restoreGuest,
    deleted: 'Guest deleted successfully',
    failed: failedToDelete('guest'),
  })
}
