import { connect } from '@/lib/supabase'
import { awardNames } from '../../shared/award'
import type { OfflineInput } from '../rules'
import type { OfflineCount } from './list-counts'

/** PostgreSQL's error code for a duplicate key. */
const alreadyThere = '23505'

/** Sets the count of a school and award; there is at most one. @param known the counts that this admin sees */
export async function saveCount(input: OfflineInput, known: readonly OfflineCount[]) {
  const supabase = await connect()
  const base = known.find(({ school_id, category }) => school_id === input.school_id && category === input.category)
  if (!base) {
    const { error } = await supabase.from('offline_submissions').insert(input)
    if (error?.code === alreadyThere) throw await setMeanwhile(input)
    if (error) throw error
    return
  }
  // The update has a condition: the count must be the one that was read. If another admin has changed it, no row is updated.
  const { data, error } = await supabase
    .from('offline_submissions')
    .update(input)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select('id')
  if (error) throw error
  if (data.length === 0) throw await setMeanwhile(input)
}

async function setMeanwhile({ school_id, category }: OfflineInput): Promise<Error> {
  const supabase = await connect()
  const { data } = await supabase
    .from('offline_submissions')
    .select('count')
    .eq('school_id', school_id)
    .eq('category', category)
    .maybeSingle()
  const now = data ? `has set this count to ${data.count}` : 'has deleted this count'
  return new Error(`Somebody else ${now} (${awardNames[category].short}). Save again to replace it.`)
}
