import { connect } from '@/lib/supabase'
import { refuseStale } from '../../shared/stale'
import type { SeasonInput } from '../rules'
import type { Season } from './list-seasons'

/** @throws StaleError when somebody else has changed the season since `base` was read */
export async function saveSeason(input: SeasonInput, base: Season | undefined) {
  const supabase = await connect()
  if (!base) {
    const { error } = await supabase.from('seasons').insert(input)
    if (error) throw error
    return
  }
  const updated = await supabase.from('seasons').update(input).eq('id', base.id).eq('updated_at', base.updated_at).select()
  await refuseStale(updated, () => supabase.from('seasons').select().eq('id', base.id).maybeSingle())
}
