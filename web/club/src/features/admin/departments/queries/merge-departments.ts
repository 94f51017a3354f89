import { connect } from '@/lib/supabase'

/** Moves the contacts of `others` to `keep` and deletes `others`, in one transaction. Returns the number of deleted departments. */
export async function mergeDepartments(keep: string, others: string[]): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.rpc('merge_departments', { keep, others })
  if (error) throw error
  return data
}
