import { connect } from '@/lib/supabase'
import { refuseStale } from '../../shared/stale'
import type { SeasonInput } from '../rules'
import type { Season } from './list-seasons'

/** PostgreSQL's error code for a value that must be unique. */
const uniqueViolation = '23505'

/** @throws StaleError when somebody else has changed the season since `base` was read */
export async function saveSeason(input: SeasonInput, base: Season | undefined) {
  const supabase = await connect()
  if (!base) {
    const { error } = await supabase.from('seasons').insert(input)
    // On a bad connection, an earlier attempt may have created the season although its response was lost.
    if (error?.code === uniqueViolation) throw new Error('There is a season with this name already')
    if (error) throw error
    return
  }
  const updated = await supabase.from('seasons').update(input).eq('id', base.id).eq('updated_at', base.updated_at).select()
  await refuseStale(updated, () => supabase.from('seasons').select().eq('id', base.id).maybeSingle())
}
