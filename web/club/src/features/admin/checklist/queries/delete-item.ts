import { connect } from '@/lib/supabase'
import { failedToDelete } from '../../shared/failures'
import { useDelete } from '../../shared/use-delete'
import { checklistQuery, type ChecklistItem } from './list-items'

async function deleteItem(item: ChecklistItem) {
  const supabase = await connect()
  const { data, error } = await supabase.from('event_checklist_items').delete().eq('id', item.id).select().maybeSingle()
  if (error) throw error
  return data ?? item
}

async function restoreItem(item: ChecklistItem) {
  const supabase = await connect()
  const { error } = await supabase.from('event_checklist_items').insert(item)
  if (error) throw error
}

export function useDeleteItem() {
  return useDelete<ChecklistItem>({
    list: checklistQuery.queryKey,
    remove: deleteItem,
    restore: restoreItem,
    deleted: 'Item deleted successfully',
    failed: failedToDelete('item'),
  })
}
