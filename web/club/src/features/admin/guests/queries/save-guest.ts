import { connect } from '@/lib/supabase'
import { refuseStale } from '../../shared/stale'
import type { GuestInput } from '../rules'
import type { Guest } from './list-guests'

/** @throws StaleError when somebody else has changed the guest since `base` was read */
export async function saveGuest(input: GuestInput, base: Guest | undefined) {
  const supabase = await connect()
  if (!base) {
    const { error } = await supabase.from('invited_guests').insert(input)
    if (error) throw error
    return
  }
  const updated = await supabase
    .from('invited_guests')
    .update(input)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select()
  await refuseStale(updated, () => supabase.from('invited_guests').select().eq('id', base.id).maybeSingle())
}
