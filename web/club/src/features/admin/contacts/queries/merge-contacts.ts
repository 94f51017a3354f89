import { connect } from '@/lib/supabase'

/** Moves interactions and departments of `others` to `keep` and deletes `others`, in one transaction. Returns the number of deleted contacts. */
export async function mergeContacts(keep: string, others: string[]): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('merge_contacts', { keep, others })
  if (error) throw error
  return data
}
