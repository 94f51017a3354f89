import { queryOptions } from '@tanstack/react-query'
import type { Database } from '@/lib/database.types'
import { connect } from '@/lib/supabase'

export type Change = Database['public']['Tables']['audit_log']['Row']
export type AuditedTable =
  'young_citizen_nominations' | 'young_musician_entries' | 'young_photographer_entries' | 'young_artist_entries'

/** Maximum number of changes shown for a record. Older ones are not shown. */
const most = 50

async function listChanges(table: AuditedTable, record: string): Promise<Change[]> {
  const supabase = await connect()
  const { data, error } = await supabase
    .from('audit_log')
    .select()
    .eq('table_name', table)
    .eq('record_id', record)
    .order('changed_at', { ascending: false })
    .limit(most)
  if (error) throw error
  return data
}

/**
 * The changes of a record with author and time, newest first. The query key contains the record's `updatedAt`, so that the list is read again after
 * each change.
 */
export function changesQuery(table: AuditedTable, record: string, updatedAt: string) {
  return queryOptions({ queryKey: ['audit', table, record, updatedAt], queryFn: () => listChanges(table, record) })
}
