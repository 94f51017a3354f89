import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { fetchAll } from '@/lib/fetch-all'
import { connect } from '@/lib/supabase'

export type ChecklistItem = Database['public']['Tables']['event_checklist_items']['Row']

async function listItems(): Promise<ChecklistItem[]> {
  const supabase = await connect()
  return fetchAll((from, to) =>
    supabase
      .from('event_checklist_items')
      .select('*', { count: 'exact' })
      .order('is_completed')
      .order('due_date', { nullsFirst: false })
      .order('id')
      .range(from, to),
  )
}

/** All items, open ones first, then by date. */
export const checklistQuery = queryOptions({ queryKey: ['checklist'], queryFn: listItems })
