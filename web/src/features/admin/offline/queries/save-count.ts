import { connect } from '@/lib/supabase'
import type { OfflineInput } from '../rules'

/** Sets the count of a school and award; there is one at most. */
export async function saveCount(input: OfflineInput) {
  const supabase = await connect()
  const { error } = await supabase.from('offline_submissions').upsert(input, { onConflict: 'school_id,category' })
  if (error) throw error
}
