import { connect } from '@/lib/supabase'
import { refuseStale } from '../../shared/stale'
import type { SchoolInput } from '../rules'
import type { School } from './list-schools'

/** @throws StaleError when somebody else has changed the school since `base` was read */
export async function saveSchool(input: SchoolInput, base: School | undefined) {
  const supabase = await connect()
  if (!base) {
    const { error } = await supabase.from('schools').insert(input)
    if (error) throw error
    return
  }
  const updated = await supabase.from('schools').update(input).eq('id', base.id).eq('updated_at', base.updated_at).select()
  await refuseStale(updated, () => supabase.from('schools').select().eq('id', base.id).maybeSingle())
}
