import { connect } from '@/lib/supabase'
import { refuseStale } from '../../shared/stale'
import type { ItemInput } from '../rules'
import type { ChecklistItem } from './list-items'

/** @throws StaleError when somebody else has changed the item since `base` was read */
export async function saveItem(input: ItemInput, base: ChecklistItem | undefined) {
  const supabase = await connect()
  if (!base) {
    const { error } = await supabase.from('event_checklist_items').insert(input)
    if (error) throw error
    return
  }
  const updated = await supabase
    .from('event_checklist_items')
    .update(input)
    .eq('id', base.id)
    .eq('updated_at', base.updated_at)
    .select()
  await refuseStale(updated, () => supabase.from('event_checklist_items').select().eq('id', base.id).maybeSingle())
}
