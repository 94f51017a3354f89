import { connect } from '@/lib/supabase'
import { refuseStale } from '../../shared/stale'
import type { DepartmentInput } from '../rules'
import type { Department } from './list-departments'

/** @throws StaleError when somebody else has changed the department since `base` was read */
export async function saveDepartment(input: DepartmentInput, base: Department | undefined) {
  const supabase = await connect()
  if (!base) {
    const { error } = await supabase.from('departments').insert(input)
    if (error) throw error
    return
  }
  const columns = '*, schools(id, name)'
  const updated = await supabase
    .from('departments')
    .update(input)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select(columns)
  await refuseStale(updated, () => supabase.from('departments').select(columns).eq('id', base.id).maybeSingle())
}
