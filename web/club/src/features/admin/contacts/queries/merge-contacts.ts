import { connect } from '@/lib/supabase'

/**
 * Moves the interactions and departments of the contacts `others` to the contact `keep`, then deletes `others`, in one transaction.
 * @returns the number of deleted contacts
 */
export async function mergeContacts(keep: string, others: string[]): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('merge_contacts', { keep, others })
  if (error) throw error
  return data
}
