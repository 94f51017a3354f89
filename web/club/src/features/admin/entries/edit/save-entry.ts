import { connect } from '@/lib/supabase'
import { awardNames } from '../../shared/award'
import type { FieldInput } from '../../shared/fields/field-rules'
import { refuseStale } from '../../shared/stale'
import type { Entry } from '../entry'

/** Identifies the version of an entry that was read. */
export type EntryVersion = Pick<Entry, 'award'> & { row: { id: string; updated_at: string } }

/**
 * Changes columns of an entry; the database records the author.
 * @throws StaleError if somebody else has changed or deleted it since it was read
 */
export async function saveEntry({ award, row }: EntryVersion, columns: FieldInput) {
  if (Object.keys(columns).length === 0) return
  const supabase = await connect()
  const { table } = awardNames[award]
  const updated = await supabase
    .from(table)
    .update(columns as never)
    .eq('id', row.id)
    .eq('updated_at', row.updated_at)
    .select('id, updated_at')
  await refuseStale(updated, () => supabase.from(table).select().eq('id', row.id).maybeSingle())
}
