import type { Supabase } from '@/lib/supabase'

export type FollowedTable =
  | 'young_citizen_nominations'
  | 'young_musician_entries'
  | 'young_photographer_entries'
  | 'young_artist_entries'
  | 'offline_submissions'
  | 'schools'
  | 'departments'
  | 'contacts'
  | 'judges'
  | 'event_checklist_items'
  | 'invited_guests'
  | 'seasons'

/** A text that changes whenever a row of the table is added, changed or deleted. Undefined if the server does not respond. */
export async function changeStamp(supabase: Supabase, table: FollowedTable): Promise<string | undefined> {
  const { data, count, error } = await supabase
    .from(table)
    .select('updated_at', { count: 'exact' })
    .order('updated_at', { ascending: false })
    .limit(1)
  if (error) return undefined
  return `${count ?? 0} ${data[0]?.updated_at ?? ''}`
}

/** The stamp of a list that has been read completely. If the table has not changed since, it equals the table's stamp. */
export function stampOfRows(rows: unknown): string | undefined {
  if (!Array.isArray(rows)) return undefined
  const times = rows.map((row: { updated_at?: string; updatedAt?: string }) => row.updated_at ?? row.updatedAt ?? '')
  return `${rows.length} ${times.reduce((latest, time) => (time > latest ? time : latest), '')}`
}
